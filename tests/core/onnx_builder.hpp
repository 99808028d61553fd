// SPDX-License-Identifier: LGPL-2.1-or-later
// ONNX files written message by message, for content that exporters never write.

#pragma once

#include <cstdint>
#include <string_view>
#define PROTOZERO_USE_VIEW std::string_view  // as in the core: one definition per program
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bcp::test::onnx {

using protozero::pbf_writer;

inline std::string tensor(const std::string& name, std::int32_t type, const std::vector<std::int64_t>& dims,
                          const std::string& raw) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::int64_t side : dims) writer.add_int64(1, side);
  writer.add_int32(2, type);
  writer.add_string(8, name);
  writer.add_bytes(9, raw);
  return bytes;
}

template <typename T>
std::string raw_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

inline std::string integers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  return tensor(name, 7, {static_cast<std::int64_t>(numbers.size())}, raw_of(numbers));
}

inline std::string floats(const std::string& name, const std::vector<float>& numbers) {
  return tensor(name, 1, {static_cast<std::int64_t>(numbers.size())}, raw_of(numbers));
}

inline std::string external(const std::string& name, const std::vector<std::int64_t>& dims,
                            const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::int64_t side : dims) writer.add_int64(1, side);
  writer.add_int32(2, 1);
  writer.add_string(8, name);
  for (const auto& [key, value] : entries) {
    pbf_writer entry(writer, 13);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  writer.add_int32(14, 1);
  return bytes;
}

// `field`: 8 for a list of numbers, 5 for a tensor, 6 for a graph.
inline std::string attribute(const std::string& name, std::uint32_t field, const std::string& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, name);
  writer.add_bytes(field, value);
  return bytes;
}

inline std::string attribute(const std::string& name, const std::vector<std::int64_t>& numbers) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, name);
  for (const std::int64_t number : numbers) writer.add_int64(8, number);
  return bytes;
}

// One number, with its type, so that the model also runs.
inline std::string integer(const std::string& name, std::int64_t number) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, name);
  writer.add_int64(3, number);
  writer.add_int32(20, 2);
  return bytes;
}

inline std::string node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {}) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::string& name : inputs) writer.add_string(1, name);
  for (const std::string& name : outputs) writer.add_string(2, name);
  writer.add_string(3, "the " + op);
  writer.add_string(4, op);
  for (const std::string& attribute : attributes) writer.add_message(5, attribute);
  return bytes;
}

// Negative dimensions are dynamic.
inline std::string value(const std::string& name, std::int32_t type, const std::vector<std::int64_t>& shape) {
  std::string sides;
  pbf_writer shape_writer(sides);
  for (const std::int64_t side : shape) {
    pbf_writer dimension(shape_writer, 1);
    if (side >= 0)
      dimension.add_int64(1, side);
    else
      dimension.add_string(2, "batch");
  }
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, name);
  pbf_writer kind(writer, 2);
  pbf_writer of(kind, 1);
  of.add_int32(1, type);
  of.add_message(2, sides);
  of.commit();
  kind.commit();
  return bytes;
}

struct Graph {
  std::vector<std::string> nodes, initializers, inputs, outputs;

  std::string bytes() const {
    std::string message;
    pbf_writer writer(message);
    for (const std::string& item : nodes) writer.add_message(1, item);
    writer.add_string(2, "graph");
    for (const std::string& item : initializers) writer.add_message(5, item);
    for (const std::string& item : inputs) writer.add_message(11, item);
    for (const std::string& item : outputs) writer.add_message(12, item);
    return message;
  }
};

inline std::string model(const Graph& graph, const std::string& function_node = {}) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int64(1, 8);
  writer.add_message(7, graph.bytes());
  {
    pbf_writer opset(writer, 8);
    opset.add_int64(2, 17);
  }
  if (!function_node.empty()) {
    pbf_writer function(writer, 25);
    function.add_string(1, "F");
    function.add_message(7, function_node);
  }
  return bytes;
}

// A model that is valid except for the given content.
inline std::string with(std::vector<std::string> nodes, std::vector<std::string> initializers = {}) {
  return model({std::move(nodes), std::move(initializers), {value("x", 1, {-1, 4})}, {value("y", 1, {-1, 4})}});
}

}  // namespace bcp::test::onnx

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include "onnx/wire.hpp"

namespace bcp::onnx::proto {
namespace {

// Copies the fields of `message` that `keep` accepts, unchanged. `keep` must read or skip the field.
template <typename Keep>
void select_fields(std::string_view message, std::vector<std::string_view>& pieces, Keep&& keep) {
  pbf_reader reader(message);
  for (const char* start = reader.data().data(); reader.next(); start = reader.data().data()) {
    const bool wanted = keep(reader);
    if (wanted) pieces.emplace_back(start, static_cast<std::size_t>(reader.data().data() - start));
  }
}

}  // namespace

std::string cut_model(std::string_view model, const Kept& kept) {
  std::vector<std::string_view> around, inside;
  std::size_t node = 0, initializer = 0, sparse = 0, input = 0, output = 0;
  const auto keep_in_graph = [&](pbf_reader& reader) {
    const std::uint32_t field = reader.tag_and_type();
    reader.skip();
    switch (field) {
      case block(1):
        return static_cast<bool>(kept.nodes[node++]);
      case block(5):
        return static_cast<bool>(kept.initializers[initializer++]);
      case block(11):
        return static_cast<bool>(kept.inputs[input++]);
      case block(12):
        return static_cast<bool>(kept.outputs[output++]);
      case block(15):
        return static_cast<bool>(kept.sparse_initializers[sparse++]);
      case block(13):  // value_info
      case block(14):  // quantization_annotation
        return false;
      default:
        return true;
    }
  };
  select_fields(model, around, [&](pbf_reader& reader) {
    const std::uint32_t field = reader.tag_and_type();
    if (field == block(7)) {
      select_fields(reader.get_view(), inside, keep_in_graph);
      return false;
    }
    reader.skip();
    return field != block(20);  // training_info
  });

  std::size_t graph_size = 0, total = 16;
  for (const std::string_view piece : inside) graph_size += piece.size();
  for (const std::string_view piece : around) total += piece.size();
  std::string cut;
  cut.reserve(total + graph_size);
  for (const std::string_view piece : around) cut += piece;
  protozero::add_varint_to_buffer(&cut, block(7));
  protozero::add_varint_to_buffer(&cut, graph_size);
  for (const std::string_view piece : inside) cut += piece;
  return cut;
}

}  // namespace bcp::onnx::proto

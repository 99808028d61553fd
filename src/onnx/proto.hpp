// SPDX-License-Identifier: LGPL-2.1-or-later
// ONNX's protobuf messages as plain structs: only the fields this project uses, and views into the file for the rest.
// Weights are neither read nor copied.
//
// The content is well formed but not yet trusted: weights.hpp and limits.hpp check it.

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/tensor_info.hpp"

namespace bcp::onnx::proto {

// Thrown by read_model: not protobuf, or not valid ONNX. what() completes the sentence "FILE is damaged or not an ONNX
// file (...)".
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// TensorProto.DataType: the values this project uses.
enum DataType : std::int32_t {
  kFloat = 1,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kFloat16 = 10,
  kDouble = 11,
};
// "float", "int64", ...: the same names as in Session.
std::string type_name(std::int32_t type);
// Bits of one element; 0 for a type that is unknown or has no fixed size.
unsigned type_bits(std::int32_t type);

struct ExternalData {
  std::string_view location, offset, length;  // as written; empty: missing
};

struct Tensor {
  std::string_view bytes;  // the message
  std::string_view name;
  std::int32_t type = 0;
  std::vector<std::int64_t> dims;
  std::optional<std::string_view> raw;
  std::uint64_t typed_items = 0;  // in float_data, int32_data, ...
  std::optional<ExternalData> external;
};

struct SparseTensor {
  Tensor values, indices;
  std::vector<std::int64_t> dims;
};

struct Graph;

struct Attribute {
  std::string_view name;
  std::int64_t integer = 0;
  float real = 0;
  std::vector<std::int64_t> integers;
  std::vector<float> floats;
  std::vector<Tensor> tensors;
  std::vector<SparseTensor> sparse_tensors;
  std::vector<Graph> graphs;
};

struct Node {
  std::string_view name, op_type, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> attributes;

  const Attribute* attribute(std::string_view wanted) const;
  // Whether it is this standard operator.
  bool is(std::string_view op) const { return op_type == op && (domain.empty() || domain == "ai.onnx"); }
  // The name of that input; empty: omitted.
  std::string_view input(std::size_t index) const { return index < inputs.size() ? inputs[index] : std::string_view(); }
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<SparseTensor> sparse_initializers;
  std::vector<TensorInfo> inputs, outputs;
};

// A graph that replaces nodes whose operator has its name.
struct Function {
  std::string_view name, domain;
  std::vector<Node> nodes;
};

struct Model {
  std::optional<std::int64_t> opset;  // of the standard operators
  Graph graph;
  std::vector<Function> functions;
};

// The views are into `bytes`.
Model read_model(std::string_view bytes);

// In values.cpp, with the types above: the values of a small tensor of integers or floats stored in the file itself;
// empty if it has another type, is external, or is larger than `most`.
std::optional<std::vector<std::int64_t>> integers_of(const Tensor& tensor, std::size_t most);
std::optional<std::vector<double>> floats_of(const Tensor& tensor, std::size_t most);

// In cut.cpp: which parts of a graph to keep, by their positions in its vectors.
struct Kept {
  std::vector<bool> nodes, initializers, sparse_initializers, inputs, outputs;
};
// The model's bytes with its graph reduced to these parts. Descriptions of tensors (value_info, quantisation
// annotations) and training information are removed, everything else is unchanged. REQUIRES: read_model(bytes) did not
// throw, and `kept` has the sizes of its graph.
std::string cut_model(std::string_view bytes, const Kept& kept);

}  // namespace bcp::onnx::proto

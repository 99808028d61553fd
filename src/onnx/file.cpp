// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/file.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "base/mapped_file.hpp"
#include "onnx/limits.hpp"
#include "onnx/proto.hpp"
#include "onnx/weights.hpp"

namespace bcp::onnx {
namespace {

using proto::Attribute;
using proto::Graph;
using proto::Node;
using proto::Tensor;
using Names = std::set<std::string_view>;

constexpr std::size_t kMaxFile = std::size_t{2} << 30;  // protobuf's limit; larger models have separate weight files

constexpr std::size_t kMaxOutputs = 64;

// The names that a graph inside a node uses from the graphs around it.
void add_captured(const Graph& graph, Names& captured) {
  Names used, made;
  for (const TensorInfo& input : graph.inputs) made.insert(input.name);
  for (const Tensor& tensor : graph.initializers) made.insert(tensor.name);
  for (const proto::SparseTensor& sparse : graph.sparse_initializers) made.insert(sparse.values.name);
  for (const TensorInfo& output : graph.outputs) used.insert(output.name);
  for (const Node& node : graph.nodes) {
    used.insert(node.inputs.begin(), node.inputs.end());
    made.insert(node.outputs.begin(), node.outputs.end());
    for (const Attribute& attribute : node.attributes)
      for (const Graph& inner : attribute.graphs) add_captured(inner, used);
  }
  std::set_difference(used.begin(), used.end(), made.begin(), made.end(), std::inserter(captured, captured.end()));
}

Names names_needed_by(const Node& node) {
  Names names(node.inputs.begin(), node.inputs.end());
  for (const Attribute& attribute : node.attributes)
    for (const Graph& graph : attribute.graphs) add_captured(graph, names);
  names.erase("");  // an omitted optional input
  return names;
}

// Operators that pass ids on, in any shape and type.
bool hands_on_ids(const Node& node) {
  for (const char* op : {"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Clip"})
    if (node.is(op)) return true;
  return false;
}

}  // namespace

struct File::Impl {
  std::string path;
  MappedFile file;
  proto::Model model;
  std::vector<TensorInfo> inputs;
  std::vector<std::string> external_files;

  bool is_initializer(std::string_view name) const;
  // The tensor with this name, also behind a type conversion.
  const Tensor* constant(std::string_view name) const;
  // The parts of the graph that `outputs` depend on.
  Result<proto::Kept> needed_for(std::span<const std::string> outputs) const;
};

bool File::Impl::is_initializer(std::string_view name) const {
  const Graph& graph = model.graph;
  return std::any_of(graph.initializers.begin(), graph.initializers.end(),
                     [&](const Tensor& tensor) { return tensor.name == name; }) ||
         std::any_of(graph.sparse_initializers.begin(), graph.sparse_initializers.end(),
                     [&](const proto::SparseTensor& sparse) { return sparse.values.name == name; });
}

const Tensor* File::Impl::constant(std::string_view name) const {
  for (int steps = 0; steps < 8; ++steps) {
    for (const Tensor& tensor : model.graph.initializers)
      if (tensor.name == name) return &tensor;
    const auto made = [&](const Node& node) { return !node.outputs.empty() && node.outputs.front() == name; };
    const auto node = std::find_if(model.graph.nodes.begin(), model.graph.nodes.end(), made);
    if (node == model.graph.nodes.end()) return nullptr;
    if (node->is("Constant")) {
      const Attribute* const value = node->attribute("value");
      return value && value->tensors.size() == 1 ? &value->tensors.front() : nullptr;
    }
    if (!node->is("Cast") && !node->is("Identity") && !node->is("DequantizeLinear")) return nullptr;
    name = node->input(0);
  }
  return nullptr;
}

Result<proto::Kept> File::Impl::needed_for(std::span<const std::string> outputs) const {
  const Graph& graph = model.graph;
  std::multimap<std::string_view, std::size_t> makers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string_view name : graph.nodes[i].outputs)
      if (!name.empty()) makers.emplace(name, i);
  Names given;  // inputs and initializers
  for (const Tensor& tensor : graph.initializers) given.insert(tensor.name);
  for (const proto::SparseTensor& sparse : graph.sparse_initializers) given.insert(sparse.values.name);
  for (const TensorInfo& input : graph.inputs) given.insert(input.name);

  proto::Kept kept;
  kept.nodes.resize(graph.nodes.size());
  Names needed;
  std::vector<std::string_view> open;
  const auto need = [&](std::string_view name) {
    if (needed.insert(name).second) open.push_back(name);
  };
  for (const std::string& name : outputs) {
    const auto declared = [&](const TensorInfo& output) { return output.name == name; };
    if (std::none_of(graph.outputs.begin(), graph.outputs.end(), declared))
      return Error{ErrorCode::kInvalid, "the model " + path + " has no output \"" + name + "\"; it has " +
                                            describe(graph.outputs) + ": name one of these"};
    need(name);
  }
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    const auto [first, last] = makers.equal_range(name);
    if (first == last && !given.contains(name))
      return Error{ErrorCode::kInvalid, "the model " + path + " is damaged: it uses \"" + std::string(name) +
                                            "\", which no node computes; fetch or export it again"};
    for (auto maker = first; maker != last; ++maker) {
      if (kept.nodes[maker->second]) continue;
      kept.nodes[maker->second] = true;
      for (const std::string_view input : names_needed_by(graph.nodes[maker->second])) need(input);
    }
  }
  for (const Tensor& tensor : graph.initializers) kept.initializers.push_back(needed.contains(tensor.name));
  for (const proto::SparseTensor& sparse : graph.sparse_initializers)
    kept.sparse_initializers.push_back(needed.contains(sparse.values.name));
  for (const TensorInfo& input : graph.inputs) kept.inputs.push_back(needed.contains(input.name));
  for (const TensorInfo& output : graph.outputs)
    kept.outputs.push_back(std::find(outputs.begin(), outputs.end(), output.name) != outputs.end());
  return kept;
}

File::File() = default;
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

Result<File> File::open(const std::string& path) try {
  Result<MappedFile> mapped = MappedFile::open(path, kMaxFile);
  if (!mapped) return mapped.error();
  File file;
  file.impl_ = std::make_unique<Impl>(Impl{path, *std::move(mapped), {}, {}, {}});
  Impl& impl = *file.impl_;
  impl.model = proto::read_model(impl.file.bytes());

  Result<std::vector<std::string>> external = proto::check_weights(impl.model, path);
  if (!external) return external.error();
  impl.external_files = *std::move(external);
  if (Status checked = proto::check_limits(impl.model, path); !checked) return checked.error();

  Names initializers;
  for (const Tensor& tensor : impl.model.graph.initializers) initializers.insert(tensor.name);
  for (const proto::SparseTensor& sparse : impl.model.graph.sparse_initializers)
    initializers.insert(sparse.values.name);
  for (const TensorInfo& input : impl.model.graph.inputs)
    if (!initializers.contains(input.name)) impl.inputs.push_back(input);
  const std::size_t outputs = impl.model.graph.outputs.size();
  if (outputs == 0 || outputs > kMaxOutputs) throw proto::Damaged("it has " + std::to_string(outputs) + " outputs");
  return file;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, path + " does not fit into memory: free memory, or use a smaller model"};
} catch (const std::exception& error) {
  return Error{ErrorCode::kInvalid,
               path + " is damaged or not an ONNX file (" + error.what() + "): fetch or export it again"};
}

const std::string& File::path() const {
  return impl_->path;
}
const std::vector<TensorInfo>& File::inputs() const {
  return impl_->inputs;
}
const std::vector<TensorInfo>& File::outputs() const {
  return impl_->model.graph.outputs;
}
int File::opset() const {
  return static_cast<int>(*impl_->model.opset);
}
const std::vector<std::string>& File::external_files() const {
  return impl_->external_files;
}

std::optional<std::int64_t> File::table_rows(const std::string& ids) const {
  std::optional<std::int64_t> rows;
  Names same = {ids};
  for (const Node& node : impl_->model.graph.nodes) {
    if (hands_on_ids(node) && same.contains(node.input(0)) && !node.outputs.empty()) same.insert(node.outputs.front());
    const bool looks_up = node.is("Gather") || node.op_type == "GatherBlockQuantized";
    if (!looks_up || !same.contains(node.input(1))) continue;
    const Attribute* const axis = node.attribute(node.is("Gather") ? "axis" : "gather_axis");
    const Tensor* const table = impl_->constant(node.input(0));
    if ((axis && axis->integer != 0) || !table || table->dims.size() != 2) return {};
    if (rows && *rows != table->dims[0]) return {};
    rows = table->dims[0];
  }
  return rows;
}

bool File::has_branches() const {
  const auto holds_graph = [](const Attribute& attribute) { return !attribute.graphs.empty(); };
  const auto branches = [&](const Node& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(), holds_graph);
  };
  const proto::Model& model = impl_->model;
  return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), branches) ||
         std::any_of(model.functions.begin(), model.functions.end(), [&](const proto::Function& function) {
           return std::any_of(function.nodes.begin(), function.nodes.end(), branches);
         });
}

bool File::uses_halves() const {
  const Graph& graph = impl_->model.graph;
  const auto is_half = [](const Tensor& tensor) { return tensor.type == proto::kFloat16; };
  const auto makes_half = [&](const Node& node) {
    const Attribute* const to = node.is("Cast") ? node.attribute("to") : nullptr;
    const Attribute* const value = node.is("Constant") ? node.attribute("value") : nullptr;
    return (to && to->integer == proto::kFloat16) ||
           (value && std::any_of(value->tensors.begin(), value->tensors.end(), is_half));
  };
  const auto takes_half = [](const TensorInfo& input) { return input.type == "float16"; };
  return std::any_of(graph.initializers.begin(), graph.initializers.end(), is_half) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), makes_half) ||
         std::any_of(graph.inputs.begin(), graph.inputs.end(), takes_half);
}

std::optional<float> File::scalar(std::string_view name) const {
  std::optional<float> value;
  for (const Tensor& tensor : impl_->model.graph.initializers) {
    if (!tensor.name.ends_with(name)) continue;
    const auto numbers = proto::floats_of(tensor, 1);
    if (!numbers || (value && *value != static_cast<float>(numbers->front()))) return {};
    value = static_cast<float>(numbers->front());
  }
  return value;
}

Result<std::string> File::part(std::span<const std::string> outputs) const try {
  const Result<proto::Kept> kept = impl_->needed_for(outputs);
  if (!kept) return kept.error();
  return proto::cut_model(impl_->file.bytes(), *kept);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, impl_->path + " does not fit into memory: free memory, or use a smaller model"};
}

Result<std::vector<TensorInfo>> File::inputs_of(std::span<const std::string> outputs) const {
  const Result<proto::Kept> kept = impl_->needed_for(outputs);
  if (!kept) return kept.error();
  std::vector<TensorInfo> inputs;
  for (std::size_t i = 0; i < kept->inputs.size(); ++i)
    if (kept->inputs[i] && !impl_->is_initializer(impl_->model.graph.inputs[i].name))
      inputs.push_back(impl_->model.graph.inputs[i]);
  return inputs;
}

}  // namespace bcp::onnx

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "onnx/weights.hpp"

namespace bcp::onnx::proto {
namespace {

constexpr std::size_t kMaxValues = 256;  // longer lists of numbers are not shapes

// The known values of a numeric tensor before a run; NaN: unknown.
using Values = std::vector<double>;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The constants visible at a place in the model: those of its graph, then of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  std::map<std::string_view, Values> values = {};

  const Values* find(std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (const auto found = scope->values.find(name); found != scope->values.end()) return &found->second;
    return nullptr;
  }
  void add(const Tensor& tensor, std::string_view name) {
    if (const auto whole = integers_of(tensor, kMaxValues))
      values[name] = Values(whole->begin(), whole->end());
    else if (auto floats = floats_of(tensor, kMaxValues))
      values[name] = *std::move(floats);
  }
};

// How an operator defines the size of its output.
enum class Says {
  kShape,      // an input with the dimensions
  kFactors,    // an input with a factor per dimension
  kPads,       // an input with the padding at the start of each dimension, then at the end
  kCount,      // an input with one number
  kAttribute,  // an attribute with the dimensions
  kPadding,    // an attribute with the padding, as kPads
};
struct Rule {
  std::string_view op;
  Says says;
  std::size_t input;
  std::string_view attribute;
};
constexpr std::array kRules = {
    Rule{"ConstantOfShape", Says::kShape, 0, ""},
    Rule{"Expand", Says::kShape, 1, ""},
    Rule{"Tile", Says::kFactors, 1, ""},
    Rule{"Pad", Says::kPads, 1, "pads"},
    Rule{"Pad", Says::kPadding, 0, "pads"},
    Rule{"Pad", Says::kPadding, 0, "paddings"},
    Rule{"Resize", Says::kFactors, 1, ""},  // version 10
    Rule{"Resize", Says::kFactors, 2, ""},
    Rule{"Resize", Says::kShape, 3, ""},
    Rule{"Upsample", Says::kFactors, 1, ""},
    Rule{"OneHot", Says::kCount, 1, ""},
    Rule{"MaxUnpool", Says::kShape, 2, ""},
    Rule{"CenterCropPad", Says::kShape, 1, ""},
    Rule{"AffineGrid", Says::kShape, 1, ""},
    Rule{"Col2Im", Says::kShape, 1, ""},
    Rule{"HannWindow", Says::kCount, 0, ""},
    Rule{"HammingWindow", Says::kCount, 0, ""},
    Rule{"BlackmanWindow", Says::kCount, 0, ""},
    Rule{"DFT", Says::kCount, 1, ""},
    Rule{"RandomNormal", Says::kAttribute, 0, "shape"},
    Rule{"RandomUniform", Says::kAttribute, 0, "shape"},
    Rule{"ConvTranspose", Says::kAttribute, 0, "output_shape"},
    Rule{"ConvTranspose", Says::kAttribute, 0, "strides"},
    Rule{"Conv", Says::kPadding, 0, "pads"},
    Rule{"ConvInteger", Says::kPadding, 0, "pads"},
    Rule{"QLinearConv", Says::kPadding, 0, "pads"},
    Rule{"MaxPool", Says::kPadding, 0, "pads"},
    Rule{"AveragePool", Says::kPadding, 0, "pads"},
    Rule{"LpPool", Says::kPadding, 0, "pads"},
};

// The fewest elements of a tensor with these dimensions: unknown, unchanged (-1) or copied (0) ones count as one.
double least_elements(const Values& sides) {
  double count = 1;
  for (const double side : sides)
    if (side > 1) count *= side;
  return count;
}

// The dimensions from padding only.
Values padded(const Values& pads) {
  const std::size_t rank = pads.size() / 2;
  Values sides;
  for (std::size_t i = 0; i < rank; ++i) sides.push_back(std::max(pads[i], 0.0) + std::max(pads[i + rank], 0.0));
  return sides;
}

class LimitChecker {
 public:
  explicit LimitChecker(const std::string& path) : path_(path) {}
  Status check(const Graph& graph, const Scope* outer);
  Status check(const std::vector<Node>& nodes, Scope& scope);

 private:
  Status check(const Node& node, const Scope& scope) const;
  Status check_range(const Node& node, const Scope& scope) const;
  static void follow(const Node& node, Scope& scope);
  Status judge(const Node& node, const Values& sides) const;

  const std::string& path_;
};

Status LimitChecker::check(const Graph& graph, const Scope* outer) {
  Scope scope{outer};
  for (const Tensor& tensor : graph.initializers) scope.add(tensor, tensor.name);
  return check(graph.nodes, scope);
}

Status LimitChecker::check(const std::vector<Node>& nodes, Scope& scope) {
  for (const Node& node : nodes) {
    if (Status checked = check(node, scope); !checked) return checked;
    for (const Attribute& attribute : node.attributes)
      for (const Graph& graph : attribute.graphs)
        if (Status checked = check(graph, &scope); !checked) return checked;
    follow(node, scope);
  }
  return ok();
}

// Propagates constants through the operators that exporters build shapes with.
void LimitChecker::follow(const Node& node, Scope& scope) {
  if (node.outputs.empty()) return;
  const std::string_view output = node.outputs.front();
  if (node.is("Constant")) {
    for (const Attribute& attribute : node.attributes) {
      for (const Tensor& tensor : attribute.tensors) scope.add(tensor, output);
      if (attribute.name == "value_int") scope.values[output] = {static_cast<double>(attribute.integer)};
      if (attribute.name == "value_float") scope.values[output] = {attribute.real};
      if (attribute.name == "value_ints" && attribute.integers.size() <= kMaxValues)
        scope.values[output] = Values(attribute.integers.begin(), attribute.integers.end());
      if (attribute.name == "value_floats" && attribute.floats.size() <= kMaxValues)
        scope.values[output] = Values(attribute.floats.begin(), attribute.floats.end());
    }
  } else if (node.is("Concat")) {
    Values joined;
    for (const std::string_view input : node.inputs) {
      const Values* const known = scope.find(input);
      // One dimension usually comes from elsewhere: the batch.
      if (known)
        joined.insert(joined.end(), known->begin(), known->end());
      else
        joined.push_back(kUnknown);
      if (joined.size() > kMaxValues) return;
    }
    scope.values[output] = std::move(joined);
  } else {
    constexpr std::array kSame = {"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten"};
    const bool same = std::any_of(kSame.begin(), kSame.end(), [&](const char* op) { return node.is(op); });
    if (const Values* const known = same ? scope.find(node.input(0)) : nullptr) {
      Values copy = *known;
      scope.values[output] = std::move(copy);
    }
  }
}

Status LimitChecker::check(const Node& node, const Scope& scope) const {
  if (node.is("Range")) return check_range(node, scope);
  for (const Rule& rule : kRules) {
    if (!node.is(rule.op)) continue;
    Values sides;
    if (rule.says == Says::kAttribute || rule.says == Says::kPadding) {
      if (const Attribute* const attribute = node.attribute(rule.attribute))
        sides.assign(attribute->integers.begin(), attribute->integers.end());
    } else if (const Values* const known = scope.find(node.input(rule.input))) {
      sides = *known;
    }
    if (rule.says == Says::kPads || rule.says == Says::kPadding) sides = padded(sides);
    if (Status judged = judge(node, sides); !judged) return judged;
  }
  return ok();
}

Status LimitChecker::check_range(const Node& node, const Scope& scope) const {
  std::array<double, 3> numbers{};  // start, limit, step
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Values* const known = scope.find(node.input(i));
    if (!known || known->size() != 1) return ok();
    numbers[i] = known->front();
  }
  return judge(node, {std::ceil((numbers[1] - numbers[0]) / numbers[2])});
}

Status LimitChecker::judge(const Node& node, const Values& sides) const {
  if (!(least_elements(sides) > static_cast<double>(kMaxElements))) return ok();
  std::string shape;
  for (const double side : sides) {
    char text[32];
    std::snprintf(text, sizeof text, std::isnan(side) ? "?" : "%.15g", side);
    shape += (shape.empty() ? "" : ", ") + std::string(text);
  }
  const std::string name(node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name);
  return Error{ErrorCode::kInvalid, path_ + ": the node \"" + name + "\" (" + std::string(node.op_type) +
                                        ") would create a tensor of [" + shape + "], but at most " +
                                        std::to_string(kMaxElements) +
                                        " numbers are allowed: the model is damaged or malicious, use another one"};
}

// The number of nodes after every function call is replaced by the function's nodes, as runtimes do at load time.
// Functions that call each other twice grow exponentially.
class Expansion {
 public:
  explicit Expansion(const Model& model) {
    for (const Function& function : model.functions)
      functions_[{function.domain, function.name}].nodes = &function.nodes;
  }

  // Infinite above kMaxNodes or for a cycle.
  double count(const std::vector<Node>& nodes) {
    double total = 0;
    for (const Node& node : nodes) {
      total += 1;
      const auto called = functions_.find({node.domain, node.op_type});
      if (called != functions_.end()) total += count_function(called->second);
      for (const Attribute& attribute : node.attributes)
        for (const Graph& graph : attribute.graphs) total += count(graph.nodes);
      if (total > kMaxNodes) return std::numeric_limits<double>::infinity();
    }
    return total;
  }

  static constexpr double kMaxNodes =
      20'000;  // the largest CLIP has a few thousand; ONNX Runtime takes seconds for this many

 private:
  struct Entry {
    const std::vector<Node>* nodes = nullptr;
    bool entered = false;
    std::optional<double> count = {};
  };
  double count_function(Entry& entry) {
    if (entry.count) return *entry.count;
    if (std::exchange(entry.entered, true)) return std::numeric_limits<double>::infinity();
    entry.count = count(*entry.nodes);
    return *entry.count;
  }

  std::map<std::pair<std::string_view, std::string_view>, Entry> functions_;
};

Status check_expansion(const Model& model, const std::string& path) {
  if (model.functions.empty() || Expansion(model).count(model.graph.nodes) <= Expansion::kMaxNodes) return ok();
  return Error{ErrorCode::kInvalid, path +
                                        " has functions that call each other in a cycle or expand to more than 20,000 "
                                        "nodes: the model is damaged or malicious, use another one"};
}

}  // namespace

Status check_limits(const Model& model, const std::string& path) {
  LimitChecker checker(path);
  if (Status checked = checker.check(model.graph, nullptr); !checked) return checked;
  for (const Function& function : model.functions) {
    Scope scope;
    if (Status checked = checker.check(function.nodes, scope); !checked) return checked;
  }
  return check_expansion(model, path);
}

}  // namespace bcp::onnx::proto

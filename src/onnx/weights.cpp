// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/weights.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <utility>

namespace bcp::onnx::proto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWayOut = ": fetch or export it again";

// The product of `dims`, or empty if it is not a possible size of a tensor.
std::optional<std::uint64_t> elements(const std::vector<std::int64_t>& dims) {
  std::uint64_t count = 1;
  for (const std::int64_t side : dims) {
    if (side < 0 || static_cast<std::uint64_t>(side) > kMaxElements) return {};
    count *= static_cast<std::uint64_t>(side);
    if (count > kMaxElements) return {};
  }
  return count;
}

std::uint64_t bytes_of(std::uint64_t count, unsigned bits) {
  return (count * bits + 7) / 8;
}

bool is_below(const fs::path& file, const fs::path& directory) {
  const auto [end, rest] = std::mismatch(directory.begin(), directory.end(), file.begin(), file.end());
  return end == directory.end() && rest != file.end();
}

class WeightChecker {
 public:
  explicit WeightChecker(const std::string& path) : path_(path) {}

  Status check(const Graph& graph);
  Status check(const std::vector<Node>& nodes);
  std::vector<std::string> take_files() { return std::move(files_); }

 private:
  Status check(const Tensor& tensor);
  Status check(const SparseTensor& sparse);
  Status check_external(const Tensor& tensor, std::uint64_t count);
  // The size of the file at `location`; checked once per file.
  Result<std::uint64_t> file_size(const std::string& location);
  Result<std::uint64_t> look_at(const std::string& location);

  Error wrong(const Tensor& tensor, const std::string& what) const {
    return Error{ErrorCode::kInvalid, path_ + ": the weights \"" + std::string(tensor.name) + "\" " + what};
  }

  const std::string& path_;
  std::map<std::string, std::uint64_t, std::less<>> sizes_;  // by location
  std::vector<std::string> files_;
};

Status WeightChecker::check(const Graph& graph) {
  for (const Tensor& tensor : graph.initializers)
    if (Status checked = check(tensor); !checked) return checked;
  for (const SparseTensor& sparse : graph.sparse_initializers)
    if (Status checked = check(sparse); !checked) return checked;
  return check(graph.nodes);
}

Status WeightChecker::check(const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    for (const Attribute& attribute : node.attributes) {
      for (const Tensor& tensor : attribute.tensors)
        if (Status checked = check(tensor); !checked) return checked;
      for (const SparseTensor& sparse : attribute.sparse_tensors)
        if (Status checked = check(sparse); !checked) return checked;
      for (const Graph& graph : attribute.graphs)
        if (Status checked = check(graph); !checked) return checked;
    }
  }
  return ok();
}

Status WeightChecker::check(const SparseTensor& sparse) {
  if (!elements(sparse.dims))
    return wrong(sparse.values,
                 "have the shape " + describe_shape(sparse.dims) + ", which is invalid: fetch or export it again");
  if (Status checked = check(sparse.values); !checked) return checked;
  return check(sparse.indices);
}

Status WeightChecker::check(const Tensor& tensor) {
  const std::optional<std::uint64_t> count = elements(tensor.dims);
  if (!count)
    return wrong(tensor, "have the shape " + describe_shape(tensor.dims) + ", but at most " +
                             std::to_string(kMaxElements) + " numbers are allowed" + kWayOut);
  if (tensor.external) return check_external(tensor, *count);
  const unsigned bits = type_bits(tensor.type);
  if (tensor.type != kString && bits == 0) return ok();  // a newer type: ONNX Runtime checks it
  const std::uint64_t needed = bytes_of(*count, bits);
  // Numbers smaller than a byte share one, and each byte is one item.
  const std::uint64_t items = bits != 0 && bits < 8 ? needed : *count;
  if (tensor.raw ? tensor.raw->size() == needed : tensor.typed_items == items) return ok();
  // Complex numbers are stored as two numbers.
  if (!tensor.raw && (tensor.type == 14 || tensor.type == 15) && tensor.typed_items == 2 * *count) return ok();
  const std::string found =
      tensor.raw ? std::to_string(tensor.raw->size()) + " bytes" : std::to_string(tensor.typed_items) + " numbers";
  return wrong(tensor, "of shape " + describe_shape(tensor.dims) + " and " + type_name(tensor.type) + " have " + found +
                           kWayOut);
}

Status WeightChecker::check_external(const Tensor& tensor, std::uint64_t count) {
  const std::string location(tensor.external->location);
  const Result<std::uint64_t> size = file_size(location);
  if (!size) return wrong(tensor, size.error().message);
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) return 0;
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
  };
  const unsigned bits = type_bits(tensor.type);
  const std::optional<std::uint64_t> offset = number(tensor.external->offset), length = number(tensor.external->length);
  if (!offset || !length) return wrong(tensor, std::string("have an offset or length that is not a number") + kWayOut);
  const std::uint64_t needed = bits == 0 ? *length : bytes_of(count, bits);
  if (!tensor.external->length.empty() && *length != needed)
    return wrong(tensor, "of shape " + describe_shape(tensor.dims) + " and " + type_name(tensor.type) + " have " +
                             std::to_string(*length) + " bytes in " + location + kWayOut);
  if (*offset > *size || needed > *size - *offset)
    return wrong(tensor, "are at bytes " + std::to_string(*offset) + " to " + std::to_string(*offset + needed) +
                             " of " + location + ", which has " + std::to_string(*size) + ": fetch both files again");
  return ok();
}

Result<std::uint64_t> WeightChecker::file_size(const std::string& location) {
  if (const auto known = sizes_.find(location); known != sizes_.end()) return known->second;
  Result<std::uint64_t> size = look_at(location);
  if (size) sizes_[location] = *size;
  return size;
}

// The error completes the sentence "the weights ...".
Result<std::uint64_t> WeightChecker::look_at(const std::string& location) {
  const auto invalid = [](std::string message) { return Error{ErrorCode::kInvalid, std::move(message)}; };
  const fs::path name = location;
  const bool stays = name.is_relative() && !name.empty() && location.find('\0') == std::string::npos &&
                     std::find(name.begin(), name.end(), "..") == name.end();
  if (!stays) return invalid("are in \"" + location + "\", but a model may only use files in its own directory");
  std::error_code error;
  const fs::path model = path_, directory = model.has_parent_path() ? model.parent_path() : fs::path(".");
  const fs::path file = directory / name.lexically_normal();
  if (!fs::is_regular_file(file, error))
    return invalid("are in " + file.string() + ", which is missing: fetch that file too");
  const fs::path real = fs::canonical(file, error);
  if (error) return invalid("are in " + file.string() + ", which cannot be opened: " + error.message());
  const fs::path as_named = fs::canonical(directory, error), as_linked = fs::canonical(model, error).parent_path();
  if (error || (!is_below(real, as_named) && !is_below(real, as_linked)))
    return invalid("are in " + file.string() + ", a link to " + real.string() +
                   ", but a model may only use files in its own directory");
  const std::uint64_t size = fs::file_size(real, error);
  if (error) return invalid("are in " + file.string() + ", which cannot be opened: " + error.message());
  if (std::find(files_.begin(), files_.end(), file.string()) == files_.end()) files_.push_back(file.string());
  return size;
}

}  // namespace

std::string describe_shape(const std::vector<std::int64_t>& dims) {
  std::string text;
  for (const std::int64_t side : dims) text += (text.empty() ? "" : ", ") + std::to_string(side);
  return "[" + text + "]";
}

Result<std::vector<std::string>> check_weights(const Model& model, const std::string& path) {
  WeightChecker checker(path);
  if (Status checked = checker.check(model.graph); !checked) return checked.error();
  for (const Function& function : model.functions)
    if (Status checked = checker.check(function.nodes); !checked) return checked.error();
  return checker.take_files();
}

}  // namespace bcp::onnx::proto

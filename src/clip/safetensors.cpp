// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/safetensors.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "base/file.hpp"
#include "base/half.hpp"
#include "base/json.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "arrays are copied in the byte order of the file");

constexpr std::size_t kMaxTensorFile = std::size_t{4} << 30;
constexpr std::size_t kMaxHeader = std::size_t{100} << 20;  // the limit of the format
constexpr std::size_t kLengthBytes = 8;

// Bytes of one element, or 0 for an unsupported type (which may still be in the file).
std::size_t bytes_of(const std::string& type) {
  if (type == "F32") return 4;
  if (type == "F16" || type == "BF16") return 2;
  return 0;
}

}  // namespace

Result<Safetensors> Safetensors::open(const std::string& path) try {
  Result<std::string> bytes = read_file(path, kMaxTensorFile);
  if (!bytes) return bytes.error();
  Safetensors file;
  file.path_ = path;
  file.bytes_ = *std::move(bytes);
  if (Status read = file.read_header(); !read) {
    return Error{ErrorCode::kInvalid,
                 path + " is damaged or not a safetensors file (" + read.error().message + "): fetch or make it again"};
  }
  return file;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, path + " does not fit into memory: free memory, or use a smaller file"};
}

Status Safetensors::read_header() try {
  const auto wrong = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
  if (bytes_.size() < kLengthBytes) return wrong("it has " + std::to_string(bytes_.size()) + " bytes");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes_.data(), kLengthBytes);
  if (length > kMaxHeader || length > bytes_.size() - kLengthBytes)
    return wrong("its header claims " + std::to_string(length) + " bytes in a file of " +
                 std::to_string(bytes_.size()));

  const std::size_t data_start = kLengthBytes + static_cast<std::size_t>(length);
  const Result<json> parsed = parse_json(std::string_view(bytes_).substr(kLengthBytes, data_start - kLengthBytes));
  if (!parsed) return wrong("its header is " + parsed.error().message);
  const json& header = *parsed;
  if (!header.is_object()) return wrong("its header is not a JSON object");
  for (const auto& [key, value] : header.items()) {
    if (key == "__metadata__") {
      metadata_ = value.get<std::map<std::string, std::string>>();
    } else {
      Result<Entry> entry = read_entry(value, data_start);
      if (!entry) return wrong("tensor \"" + key + "\": " + entry.error().message);
      entries_.emplace(key, *std::move(entry));
    }
  }
  return ok();
} catch (const json::exception& error) {
  return Error{ErrorCode::kInvalid, std::string("its header cannot be read: ") + error.what()};
}

// Throws json::exception if a key is missing or has the wrong type.
Result<Safetensors::Entry> Safetensors::read_entry(const json& description, std::size_t data_start) const {
  const auto wrong = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
  Entry entry;
  entry.type = description.at("dtype").get<std::string>();
  entry.count = 1;
  for (const json& side : description.at("shape")) {
    if (!side.is_number_unsigned()) return wrong("its shape has the dimension " + shown(side));
    const auto length = side.get<std::uint64_t>();
    if (length > kMaxTensorFile || (length != 0 && entry.count > kMaxTensorFile / length))
      return wrong("its shape is too large");
    entry.count *= static_cast<std::size_t>(length);
    entry.shape.push_back(static_cast<std::int64_t>(length));
  }
  const json& offsets = description.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    return wrong("its data_offsets are not two positions");
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  const std::size_t data_size = bytes_.size() - data_start;
  if (begin > end || end > data_size)
    return wrong("its data is at bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                 std::to_string(data_size));
  entry.begin = data_start + static_cast<std::size_t>(begin);
  entry.end = data_start + static_cast<std::size_t>(end);
  const std::size_t each = bytes_of(entry.type);
  if (each != 0 && entry.end - entry.begin != entry.count * each)
    return wrong("its shape needs " + std::to_string(entry.count * each) + " bytes, but it has " +
                 std::to_string(entry.end - entry.begin));
  return entry;
}

const std::string* Safetensors::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

Result<Safetensors::Floats> Safetensors::floats(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    std::string there;
    for (const auto& [other, entry] : entries_) there += (there.empty() ? "" : ", ") + other;
    return Error{ErrorCode::kInvalid, path_ + " has no tensor \"" + name + "\"; it has " +
                                          (there.empty() ? "none" : there) + ": rename or add it"};
  }
  const Entry& entry = found->second;
  if (bytes_of(entry.type) == 0)
    return Error{ErrorCode::kUnsupported,
                 path_ + ": tensor \"" + name + "\" is stored as " + entry.type + ": store it as F32, F16 or BF16"};
  Floats floats{entry.shape, std::vector<float>(entry.count)};
  const char* from = bytes_.data() + entry.begin;
  if (entry.type == "F32") {
    if (entry.count != 0) std::memcpy(floats.values.data(), from, entry.count * sizeof(float));
    return floats;
  }
  for (float& value : floats.values) {
    std::uint16_t raw = 0;
    std::memcpy(&raw, from, sizeof raw);
    from += sizeof raw;
    value = entry.type == "F16" ? from_half(raw) : from_brain(raw);
  }
  return floats;
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/json_keys.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The largest is a tokenizer.json: CLIP's has 2 MB, other models up to 35 MB.
constexpr std::size_t kMaxJsonFile = std::size_t{64} << 20;

bool is_whole(const json& value) {
  return value.is_number_integer() && value >= -2'147'483'647 && value <= 2'147'483'647;
}

}  // namespace

bool stays_inside(const std::string& name) {
  const fs::path path = name;
  return path.is_relative() && !path.empty() && std::find(path.begin(), path.end(), "..") == path.end();
}

JsonKeys::JsonKeys(json root, std::string path, std::string help)
    : root_(std::move(root)), path_(std::move(path)), help_(std::move(help)) {}

Result<JsonKeys> JsonKeys::open(const std::string& path, std::string help,
                                const std::vector<std::string_view>& skipped) {
  const Result<std::string> text = read_file(path, kMaxJsonFile);
  if (!text) return text.error();
  Result<json> root = parse_json(*text, skipped);
  if (!root) return Error{ErrorCode::kInvalid, path + " is " + root.error().message + ": " + help};
  if (!root->is_object()) return Error{ErrorCode::kInvalid, path + " must hold a JSON object (" + help + ")"};
  return JsonKeys(*std::move(root), path, std::move(help));
}

const json* JsonKeys::find(const std::string& key) const {
  const json* at = &root_;
  if (key.empty()) return at;
  for (std::size_t start = 0; start <= key.size();) {
    const std::size_t dot = std::min(key.find('.', start), key.size());
    if (!at->is_object()) return nullptr;
    const auto next = at->find(key.substr(start, dot - start));
    if (next == at->end()) return nullptr;
    at = &*next;
    start = dot + 1;
  }
  return at;
}

bool JsonKeys::has(const std::string& key) const {
  const json* const value = find(key);
  return value && !value->is_null();
}

std::string JsonKeys::text(const std::string& key, bool required) {
  const json* value = find(key);
  if (!required && !has(key)) return {};
  if (value && value->is_string() && (!required || !value->get_ref<const std::string&>().empty()))
    return value->get<std::string>();
  fail(key, "a string", value);
  return {};
}

bool JsonKeys::flag(const std::string& key) {
  if (!has(key)) return false;
  const json* const value = find(key);
  if (!value->is_boolean()) fail(key, "true or false", value);
  return *value == true;
}

int JsonKeys::whole(const std::string& key, int low, int high) {
  const json* value = find(key);
  if (value && value->is_number_integer() && *value >= low && *value <= high) return value->get<int>();
  fail(key, "an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
  return low;
}

double JsonKeys::number(const std::string& key) {
  const json* value = find(key);
  if (value && value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  fail(key, "a number", value);
  return 0;
}

double JsonKeys::positive(const std::string& key) {
  const json* value = find(key);
  if (value && value->is_number() && value->get<double>() > 0 && std::isfinite(value->get<double>()))
    return value->get<double>();
  fail(key, "a number above 0", value);
  return 1;
}

double JsonKeys::share(const std::string& key) {
  const json* value = find(key);
  if (value && value->is_number() && value->get<double>() >= 0 && value->get<double>() <= 1)
    return value->get<double>();
  fail(key, "a number from 0 to 1", value);
  return 1;
}

std::array<float, 3> JsonKeys::three(const std::string& key, double above) {
  const json* value = find(key);
  std::array<float, 3> numbers{1, 1, 1};
  bool good = value && value->is_array() && value->size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    good = (*value)[i].is_number() && (*value)[i].get<double>() > above && std::abs((*value)[i].get<double>()) < 1e6;
    if (good) numbers[i] = (*value)[i].get<float>();
  }
  if (!good) fail(key, above < 0 ? "three numbers" : "three numbers above 0", value);
  return numbers;
}

std::vector<float> JsonKeys::numbers(const std::string& key, std::size_t most) {
  const json* value = find(key);
  if (!has(key)) return {};
  const bool good = value->is_array() && !value->empty() && value->size() <= most &&
                    std::all_of(value->begin(), value->end(), [](const json& item) { return item.is_number(); });
  if (good) return value->get<std::vector<float>>();
  fail(key, "a list of up to " + std::to_string(most) + " numbers", value);
  return {};
}

std::vector<int> JsonKeys::wholes(const std::string& key, std::size_t most) {
  const json* value = find(key);
  if (!has(key)) return {};
  if (value->is_array() && value->size() <= most && std::all_of(value->begin(), value->end(), is_whole))
    return value->get<std::vector<int>>();
  fail(key, "a list of up to " + std::to_string(most) + " integers", value);
  return {};
}

std::vector<std::string> JsonKeys::texts(const std::string& key, std::size_t most) {
  const json* value = find(key);
  if (!has(key)) return {};
  const bool good = value->is_array() && !value->empty() && value->size() <= most &&
                    std::all_of(value->begin(), value->end(), [](const json& item) { return item.is_string(); });
  if (good) return value->get<std::vector<std::string>>();
  fail(key, "a list of up to " + std::to_string(most) + " strings", value);
  return {};
}

std::string JsonKeys::file(const std::string& key, bool required) {
  if (!required && !has(key)) return {};
  std::string name = text(key, true);
  if (!error_ && !stays_inside(name)) fail(key, "a file inside the bundle's directory", find(key));
  return name;
}

void JsonKeys::refuse(const std::string& key, const std::string& why) {
  if (!error_) error_ = Error{ErrorCode::kInvalid, path_ + ": the key \"" + key + "\": " + why + " (" + help_ + ")"};
}

void JsonKeys::fail(const std::string& key, const std::string& expected, const json* found) {
  if (error_) return;
  error_ = Error{ErrorCode::kInvalid, path_ + ": the key \"" + key + "\" must be " + expected + "; it is " +
                                          (found ? shown(*found) : "missing") + " (" + help_ + ")"};
}

}  // namespace bcp::clip

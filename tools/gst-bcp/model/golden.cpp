// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/golden.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "base/json.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxGoldenFile = std::size_t{1} << 20;

Error invalid_golden(const std::string& path, const std::string& message) {
  return Error{ErrorCode::kInvalid, path + ": " + message + " (models/golden/README.md describes the format)"};
}

// nlohmann-json throws if a value has another type than it is read as; read() turns that into an error.
Result<Golden> parse(const std::string& path, const json& root) {
  constexpr std::array<std::string_view, 7> kKeys = {"about",  "models",  "picture",        "texts",
                                                     "logits", "softmax", "image_embedding"};
  for (const auto& [key, value] : root.items())
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      return invalid_golden(path, "the key \"" + key + "\" is unknown");

  Golden golden;
  golden.file = path;
  golden.models = root.value("models", std::vector<std::string>());
  golden.picture = (fs::path(path).parent_path() / root.at("picture").get<std::string>()).string();
  golden.texts = root.value("texts", std::vector<std::string>());
  const auto read = [&](const char* key, std::vector<double>& values, double& tolerance) -> const json* {
    const auto at = root.find(key);
    if (at == root.end()) return nullptr;
    values = at->at("values").get<std::vector<double>>();
    tolerance = at->at("tolerance").get<double>();
    return &*at;
  };
  read("logits", golden.logits, golden.logits_tolerance);
  read("softmax", golden.softmax, golden.softmax_tolerance);
  if (const json* const embedding = read("image_embedding", golden.embedding, golden.embedding_tolerance))
    golden.normalised = embedding->at("normalised").get<bool>();

  for (const std::vector<double>* scores : {&golden.logits, &golden.softmax})
    if (!scores->empty() && scores->size() != golden.texts.size())
      return invalid_golden(path, "there are " + std::to_string(golden.texts.size()) + " texts but " +
                                      std::to_string(scores->size()) + " values for them");
  if (golden.logits.empty() && golden.softmax.empty() && golden.embedding.empty())
    return invalid_golden(path, "there is nothing to compare: it needs logits, softmax or image_embedding");
  return golden;
}

std::string simple_name(const std::string& name) {
  std::string simple;
  for (const char each : name)
    if (const auto letter = static_cast<unsigned char>(each); std::isalnum(letter))
      simple += static_cast<char>(std::tolower(letter));
  const auto replace = [&](const std::string& word, const std::string& by) {
    if (const std::size_t at = simple.find(word); at != std::string::npos) simple.replace(at, word.size(), by);
  };
  replace("openai", "");
  replace("clip", "");
  replace("quickgelu", "");  // used by OpenAI's weights; open_clip has it in the name
  replace("basepatch", "b");
  return simple;
}

// Every file of reference values in the folders of the models.
std::vector<std::string> golden_files() {
  std::set<std::string> files;
  for (const std::string& place : clip::bundle_places()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(place) / "golden", ignored))
      if (entry.path().extension() == ".json") files.insert(entry.path().string());
  }
  return {files.begin(), files.end()};
}

}  // namespace

Result<Golden> Golden::read(const std::string& path) try {
  const Result<std::string> text = read_file(path, kMaxGoldenFile);
  if (!text) return text.error();
  const Result<json> root = parse_json(*text);
  if (!root) return invalid_golden(path, "it is " + root.error().message);
  return parse(path, *root);
} catch (const json::exception& error) {
  return invalid_golden(path, std::string("it does not contain reference values: ") + error.what());
}

bool same_model(const std::string& a, const std::string& b) {
  return simple_name(a) == simple_name(b);
}

Result<Golden> Golden::find(const std::string& model) {
  std::string known;
  for (const std::string& path : golden_files()) {
    Result<Golden> golden = read(path);
    if (!golden) return golden;
    for (const std::string& name : golden->models)
      if (same_model(name, model)) return golden;
    if (!golden->models.empty()) known += (known.empty() ? "" : ", ") + golden->models.front();
  }
  return Error{ErrorCode::kNotFound, "there are no reference values for the model " + model +
                                         (known.empty() ? "" : "; they exist for " + known) +
                                         ": give your own file with --golden=FILE (models/golden/README.md)"};
}

}  // namespace bcp::cli

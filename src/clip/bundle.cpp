// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "clip/checksum_cache.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kMaxManifest = std::size_t{4} << 20;
constexpr int kMaxImageSize = 4096;
constexpr int kMaxEmbedding = 65536;

// Reads one key after the other and remembers the first thing wrong, so that Bundle::open reads as the list it is.
// Keys are written as a path: "image.size".
class Manifest {
 public:
  Manifest(const json& root, std::string path) : root_(root), path_(std::move(path)) {}

  const std::optional<Error>& error() const { return error_; }

  const json* find(const std::string& key) const {
    const json* at = &root_;
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

  std::string text(const std::string& key, bool required) {
    const json* value = find(key);
    if (!value && !required) return {};
    if (value && value->is_string() && (!required || !value->get_ref<const std::string&>().empty()))
      return value->get<std::string>();
    fail(key, "a string", value);
    return {};
  }

  int whole(const std::string& key, int low, int high) {
    const json* value = find(key);
    if (value && value->is_number_integer() && *value >= low && *value <= high) return value->get<int>();
    fail(key, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), value);
    return low;
  }

  double positive(const std::string& key) {
    const json* value = find(key);
    if (value && value->is_number() && value->get<double>() > 0 && std::isfinite(value->get<double>()))
      return value->get<double>();
    fail(key, "a number above 0", value);
    return 1;
  }

  std::array<float, 3> three(const std::string& key, double above) {
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

  std::vector<float> numbers(const std::string& key, std::size_t most) {
    const json* value = find(key);
    if (!value) return {};
    std::vector<float> list;
    const bool good = value->is_array() && !value->empty() && value->size() <= most &&
                      std::all_of(value->begin(), value->end(), [](const json& item) { return item.is_number(); });
    if (good)
      list = value->get<std::vector<float>>();
    else
      fail(key, "a list of up to " + std::to_string(most) + " numbers", value);
    return list;
  }

  // A file of the bundle: a name, or a path below its directory.
  std::string file(const std::string& key) {
    const std::string name = text(key, true);
    if (!error_ && !stays_inside(name)) fail(key, "a file inside the bundle's directory", find(key));
    return name;
  }

  static bool stays_inside(const fs::path& name) {
    return name.is_relative() && !name.empty() && std::find(name.begin(), name.end(), "..") == name.end();
  }

  void fail(const std::string& key, const std::string& expected, const json* found) {
    if (error_) return;
    std::string value = found ? found->dump(-1, ' ', false, json::error_handler_t::replace) : "missing";
    if (value.size() > 60) value = value.substr(0, 57) + "...";
    error_ = Error{ErrorCode::kInvalid, path_ + ": the key \"" + key + "\" must be " + expected + "; it is " + value +
                                            " (models/README.md describes the format)"};
  }

 private:
  const json& root_;
  std::string path_;
  std::optional<Error> error_;
};

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Every file the manifest has a checksum for, and its two models must be among them.
Result<std::map<std::string, std::string>> read_checksums(Manifest& manifest, const std::vector<std::string>& needed) {
  std::map<std::string, std::string> checksums;
  const json* const table = manifest.find("sha256");
  if (!table || !table->is_object()) manifest.fail("sha256", "an object of file names and their checksums", table);
  if (!manifest.error()) {
    for (const auto& [file, hash] : table->items()) {
      if (!Manifest::stays_inside(file)) manifest.fail("sha256." + file, "a file inside the bundle's directory", &hash);
      if (!hash.is_string() || !is_sha256(hash.get<std::string>()))
        manifest.fail("sha256." + file, "64 hexadecimal digits in lower case", &hash);
      if (!manifest.error()) checksums[file] = hash.get<std::string>();
    }
    for (const std::string& file : needed)
      if (!checksums.contains(file)) manifest.fail("sha256." + file, "the file's checksum", nullptr);
  }
  if (manifest.error()) return *manifest.error();
  return checksums;
}

Status check_file(const std::string& path, const std::string& expected) {
  const Result<std::string> found = cached_sha256(path);
  if (!found) return Error{found.error().code, found.error().message + "; the bundle is not complete: fetch it again"};
  if (*found == expected) return ok();
  return Error{ErrorCode::kInvalid, path + " is damaged or was changed: its sha256 is " + *found +
                                        " and bundle.json says " + expected +
                                        "; fetch it again, or make the bundle again with models/make_bundle.py"};
}

// What learnt state is bound to. A tower may keep its weights in files of their own: then its graph alone says nothing.
Result<std::string> identity_of(const std::map<std::string, std::string>& checksums, const std::string& visual,
                                const std::string& text_bank) {
  std::string others;
  for (const auto& [file, hash] : checksums)
    if (file != text_bank && file != visual) others += hash + "\n";
  if (others.empty()) return checksums.at(visual);
  return sha256(checksums.at(visual) + "\n" + others);
}

Result<json> read_manifest(const std::string& directory, const std::string& path) try {
  std::error_code ignored;
  if (!fs::exists(directory, ignored))
    return Error{ErrorCode::kNotFound, "there is no model bundle at " + directory + ": check the path"};
  if (!fs::is_directory(directory, ignored))
    return Error{ErrorCode::kInvalid, directory +
                                          " is a file, and a model is a directory with a bundle.json: give the "
                                          "directory, or make one from this file with models/make_bundle.py"};
  if (!fs::exists(path, ignored))
    return Error{ErrorCode::kNotFound,
                 directory + " has no bundle.json, so it is no model bundle: models/README.md tells how to make one"};
  const Result<std::string> text = read_file(path, kMaxManifest);
  if (!text) return text.error();
  json root = json::parse(*text);
  if (!root.is_object()) return Error{ErrorCode::kInvalid, path + " must hold a JSON object (models/README.md)"};
  return root;
} catch (const json::exception& error) {
  return Error{ErrorCode::kInvalid, path + " is not valid JSON: " + error.what()};
}

}  // namespace

Result<Bundle> Bundle::open(const std::string& directory) {
  const std::string path = directory + "/bundle.json";
  const Result<json> root = read_manifest(directory, path);
  if (!root) return root.error();

  Manifest manifest(*root, path);
  if (const int format = manifest.whole("format", 1, 1'000'000); !manifest.error() && format != kFormat)
    return Error{ErrorCode::kUnsupported, path + " has format " + std::to_string(format) + " and this version reads " +
                                              std::to_string(kFormat) + ": update gst-bcp"};
  Bundle bundle;
  bundle.directory = directory;
  bundle.name = manifest.text("name", true);
  bundle.licence = manifest.text("licence", true);
  bundle.description = manifest.text("description", false);
  bundle.tensor.size = manifest.whole("image.size", 2, kMaxImageSize);
  bundle.tensor.mean = manifest.three("image.mean", -1e6);
  bundle.tensor.std = manifest.three("image.std", 0);
  bundle.logit_scale = manifest.positive("logit_scale");
  bundle.embedding_size = manifest.whole("embedding_size", 1, kMaxEmbedding);
  const std::string visual = manifest.file("visual.file");
  bundle.visual.input = manifest.text("visual.input", false);
  bundle.visual.output = manifest.text("visual.output", false);
  const std::string text_bank = manifest.file("text_bank.file");
  bundle.self_test = manifest.numbers("self_test.embedding", static_cast<std::size_t>(bundle.embedding_size));
  if (manifest.error()) return *manifest.error();

  const auto checksums = read_checksums(manifest, {visual, text_bank});
  if (!checksums) return checksums.error();
  for (const auto& [file, hash] : *checksums)
    if (Status checked = check_file(directory + "/" + file, hash); !checked) return checked.error();

  Result<std::string> identity = identity_of(*checksums, visual, text_bank);
  if (!identity) return identity.error();
  bundle.identity = *std::move(identity);
  bundle.visual.file = directory + "/" + visual;
  bundle.text_bank = directory + "/" + text_bank;
  return bundle;
}

}  // namespace bcp::clip

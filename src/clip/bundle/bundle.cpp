// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/bundle.hpp"

#include <cmath>

#include <exception>
#include <filesystem>
#include <map>
#include <utility>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "clip/bundle/checksum_cache.hpp"
#include "clip/bundle/not_onnx.hpp"
#include "clip/bundle/read_manifest.hpp"
#include "clip/bundle/recognise.hpp"
#include "clip/bundle/variant.hpp"
#include "onnx/file.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using Checksums = std::map<std::string, std::string>;  // by path

// The user's path, split.
struct Place {
  std::string directory;
  std::string chosen;  // the image tower, relative to the directory; empty: found by name or tensors
};

// Folders of a model that hold its towers; the model is the folder above.
bool is_tower_folder(const fs::path& name) {
  return name == "onnx" || name == "visual" || name == "textual";
}

// Hugging Face's cache keeps a repository's files in snapshots/REVISION and the revision in refs/main. Empty if this is
// not such a directory.
std::string cached_snapshot(const std::string& directory) {
  const Result<std::string> text = read_file(directory + "/refs/main", 256);
  if (!text) return {};
  const std::string revision = text->substr(0, text->find_first_not_of("0123456789abcdef"));
  std::string snapshot = directory + "/snapshots/" + revision;
  std::error_code ignored;
  return !revision.empty() && fs::is_directory(snapshot, ignored) ? snapshot : std::string();
}

// The parent of the folder; "." if its path has none.
std::string above(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path().string() : ".";
}

Result<Place> locate(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return Error{ErrorCode::kNotFound, "there is no model at " + path + ": check the path"};
  if (fs::is_directory(path, ignored)) {
    if (std::string snapshot = cached_snapshot(path); !snapshot.empty()) return Place{std::move(snapshot), ""};
    // People may give the folder with the towers; Hugging Face's configuration is in the folder above.
    const fs::path folder = path;
    const bool within = is_tower_folder(folder.filename()) && !fs::exists(folder / "bundle.json", ignored) &&
                        fs::exists(folder / ".." / "config.json", ignored);
    return Place{within ? above(folder) : path, ""};
  }
  const fs::path file = path;
  if (file.extension() != ".onnx")
    return Error{ErrorCode::kInvalid,
                 path +
                     " is not an ONNX file: a model is a directory, or one ONNX file in it; give the "
                     "directory, or make one with models/make_bundle.py"};
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (is_tower_folder(folder.filename()) && !fs::exists(folder / "bundle.json", ignored))
    return Place{above(folder), (folder.filename() / file.filename()).string()};
  return Place{folder.string(), file.filename().string()};
}

Status check_file(const std::string& path, const std::string& expected) {
  if (Status fetched = check_fetched(path); !fetched) return fetched;
  const Result<std::string> found = cached_sha256(path);
  if (!found) return Error{found.error().code, found.error().message + "; the bundle is incomplete: fetch it again"};
  if (*found == expected) return ok();
  return Error{ErrorCode::kInvalid, path + " is damaged or was changed: its sha256 is " + *found +
                                        " and bundle.json says " + expected +
                                        "; fetch it again, or make the bundle again with models/make_bundle.py"};
}

Result<Checksums> checksums_of(const std::vector<std::string>& files) {
  Checksums checksums;
  for (const std::string& file : files) {
    Result<std::string> hash = cached_sha256(file);
    if (!hash) return hash.error();
    checksums[file] = *std::move(hash);
  }
  return checksums;
}

// A tower may keep its weights in separate files: then its graph alone does not identify it.
Result<std::string> identity_of(const std::string& tower, const Checksums& files) {
  std::string others;
  for (const auto& [file, hash] : files)
    if (file != tower) others += hash + "\n";
  if (others.empty()) return files.at(tower);
  return sha256(files.at(tower) + "\n" + others);
}

// Whether this is an int8 variant of a tower, or the file beside it that holds its weights.
bool is_int8_file(const std::string& path) {
  const fs::path file = path;
  return is_int8(file.extension() == ".data" || file.extension() == ".onnx_data" ? file.stem().string() : path);
}

// The vocabulary and, for a vocab.json, its merges; a tokenizer.json contains its own.
std::vector<std::string> vocabulary_files(const TextTower& tower) {
  if (tower.vocabulary.empty()) return {};
  std::vector<std::string> files = {tower.vocabulary};
  const fs::path path = tower.vocabulary, merges = path.parent_path() / "merges.txt";
  std::error_code ignored;
  const bool half = path.extension() == ".json" && path.filename() != "tokenizer.json";
  if (half && fs::is_regular_file(merges, ignored)) files.push_back(merges.string());
  return files;
}

// What text embeddings depend on: the tower, the vocabulary, and how texts are padded.
Result<std::string> text_identity_of(const TextTower& tower, Checksums files) {
  const Result<Checksums> words = checksums_of(vocabulary_files(tower));
  if (!words) return words.error();
  files.insert(words->begin(), words->end());
  const Result<std::string> identity = identity_of(tower.file, files);
  if (!identity) return identity.error();
  const std::string padding = tower.padding ? std::to_string(*tower.padding) : "";
  std::string fed = *identity + "\n" + std::to_string(tower.context_length) + "\n" + padding + "\n" + tower.ids + "\n" +
                    tower.mask + "\n" + tower.output;
  // Added only if set, so that cached embeddings of CLIP stay valid.
  if (tower.pad_to_length) fed += "\npad_to_length";
  if (tower.lowercase) fed += "\nlowercase";
  return sha256(fed);
}

// The tower and its weight files, out of `all`; each must be listed.
Result<Checksums> files_of(const std::string& tower, const Checksums& all, const std::string& directory) {
  const Result<onnx::File> file = onnx::File::open(tower);
  if (!file) return file.error();
  Checksums files = {{tower, all.at(tower)}};
  for (const std::string& weights : file->external_files()) {
    const auto known = all.find(weights);
    if (known == all.end())
      return Error{ErrorCode::kInvalid, directory + "/bundle.json has no sha256 of " + weights +
                                            ", which has weights of " + tower + ": add it"};
    files.insert(*known);
  }
  return files;
}

Result<Bundle> open_described(const Place& place) {
  Result<Manifest> manifest = read_manifest(place.directory, place.chosen);
  if (!manifest) return manifest.error();
  Bundle& bundle = manifest->bundle;
  Checksums all;
  for (const auto& [file, hash] : manifest->checksums) {
    const std::string path = place.directory + "/" + file;
    if (Status checked = check_file(path, hash); !checked) return checked.error();
    all[path] = hash;
  }
  if (const Result<Checksums> visual = files_of(bundle.visual.file, all, place.directory); !visual)
    return visual.error();

  // Every file not known as something else belongs to the image tower: older bundles have files that no key names.
  Checksums image = all;
  image.erase(bundle.text_bank);
  if (bundle.textual) {
    const Result<Checksums> text = files_of(bundle.textual->file, all, place.directory);
    if (!text) return text.error();
    const bool one_file = bundle.textual->file == bundle.visual.file;
    for (const auto& [file, hash] : *text)
      if (!one_file) image.erase(file);
    for (const std::string& file : vocabulary_files(*bundle.textual)) {
      if (!all.contains(file))
        return Error{ErrorCode::kInvalid, place.directory + "/bundle.json has no sha256 of " + file +
                                              ", which belongs to " + bundle.textual->vocabulary + ": add it"};
      image.erase(file);
    }
    Result<std::string> identity = text_identity_of(*bundle.textual, *text);
    if (!identity) return identity.error();
    bundle.text_identity = *std::move(identity);
  }
  // An int8 variant that is added later must not make the model another one: prior files would no longer fit it.
  if (!is_int8(bundle.visual.file)) std::erase_if(image, [](const auto& entry) { return is_int8_file(entry.first); });
  Result<std::string> identity = identity_of(bundle.visual.file, image);
  if (!identity) return identity.error();
  bundle.identity = *std::move(identity);
  return std::move(bundle);
}

Result<Bundle> open_recognised(const Place& place) {
  Result<Recognised> recognised = recognise(place.directory, place.chosen);
  if (!recognised) return recognised.error();
  Bundle& bundle = recognised->bundle;
  const Result<Checksums> visual = checksums_of(recognised->visual_files);
  if (!visual) return visual.error();
  Result<std::string> identity = identity_of(bundle.visual.file, *visual);
  if (!identity) return identity.error();
  bundle.identity = *std::move(identity);
  if (!bundle.textual) return std::move(bundle);
  const Result<Checksums> textual = checksums_of(recognised->text_files);
  if (!textual) return textual.error();
  Result<std::string> text_identity = text_identity_of(*bundle.textual, *textual);
  if (!text_identity) return text_identity.error();
  bundle.text_identity = *std::move(text_identity);
  return std::move(bundle);
}

}  // namespace

PresenceTraits presence_traits(const Bundle& bundle) {
  constexpr double kOpenAi = 100, kRounding = 0.5;
  // In CLIP ViT-B/32, different nouns reach a cosine of 0.931, and pony and horse 0.94.
  constexpr double kOpenAiAlias = 0.94;
  PresenceTraits traits = bundle.presence;
  if (bundle.scoring == Scoring::kSigmoid) return traits;
  if (std::abs(bundle.logit_scale - kOpenAi) < kRounding && !traits.scale) {
    traits.scale = 1;
    if (!traits.alias_cosine) traits.alias_cosine = kOpenAiAlias;
  }
  return traits;
}

Result<Bundle> Bundle::open(const std::string& path) try {
  const Result<Place> place = locate(path);
  if (!place) return place.error();
  std::error_code ignored;
  const bool described = fs::exists(place->directory + "/bundle.json", ignored);
  Result<Bundle> bundle = described ? open_described(*place) : open_recognised(*place);
  if (bundle && is_int8(bundle->visual.file)) bundle->int8 = true;
  return bundle;
} catch (const std::exception& error) {
  return Error{ErrorCode::kRuntime, "cannot open the model " + path + ": " + error.what()};
}

}  // namespace bcp::clip

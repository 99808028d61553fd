// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/choose.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "clip/bundle/find_towers.hpp"
#include "clip/bundle/variant.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// The suffixes of file names for each variant, preferred first.
const std::map<std::string, Names>& endings() {
  static const std::map<std::string, Names> all = {
      {"fp32", {"", "_fp32", "-fp32", "_float32"}},
      {"fp16", {"_fp16", "-fp16", "_float16"}},
      {"int8", {"_int8", "-int8", "_quantized", "-quantized", "_quant", "_q8"}},
      {"q8", {"_q8", "_quantized", "-quantized", "_quant", "_int8", "-int8"}},
      {"quantized", {"_quantized", "-quantized", "_quant", "_q8", "_int8", "-int8"}},
      {"uint8", {"_uint8", "-uint8"}},
      {"q4", {"_q4", "_int4", "_uint4"}},
      {"q4f16", {"_q4f16"}},
      {"bnb4", {"_bnb4"}},
  };
  return all;
}

// The variant of a file's suffix.
std::string variant_of(const std::string& ending) {
  for (const auto& [name, list] : endings())
    if (std::find(list.begin(), list.end(), ending) != list.end()) return name;
  return ending.substr(1);
}

std::string join(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Beside the towers, or in the top directory.
bool is_configuration(const std::string& name) {
  constexpr std::array kNames = {"config.json",           "preprocessor_config.json",
                                 "processor_config.json", "tokenizer.json",
                                 "tokenizer_config.json", "special_tokens_map.json",
                                 "added_tokens.json",     "open_clip_config.json",
                                 "preprocess_cfg.json",   "presence.json",
                                 "spiece.model",          "sentencepiece.bpe.model",
                                 "tokenizer.model",       "bpe_simple_vocab_16e6.txt.gz"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_legal(const std::string& name) {
  std::string start = fs::path(name).stem().string();
  std::transform(start.begin(), start.end(), start.begin(), [](unsigned char c) { return std::toupper(c); });
  return name == "README.md" || start.starts_with("LICENSE") || start.starts_with("LICENCE") || start == "NOTICE" ||
         start == "COPYING";
}

// The weights that exporters put beside an ONNX file: model.onnx_data, model.onnx.data, model.onnx_data_1.
bool is_weights_of(const std::string& path, const Names& onnx) {
  return std::any_of(onnx.begin(), onnx.end(), [&](const std::string& file) {
    return path.starts_with(file + "_data") || path.starts_with(file + ".data") || path.starts_with(file + ".weights");
  });
}

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

Names onnx_files(const Repository& repository) {
  Names found;
  for (const RepositoryFile& file : repository.files) {
    const std::string folder = folder_of(file.path);
    const bool looked_at = folder.empty() || folder == "onnx" || folder == "visual" || folder == "textual";
    if (file.path.ends_with(".onnx") && looked_at) found.push_back(file.path);
  }
  return found;
}

class Chooser {
 public:
  Chooser(const Repository& repository, const Selection& selection)
      : repository_(repository), selection_(selection), onnx_(onnx_files(repository)) {}

  Result<Choice> run();

 private:
  Result<Names> towers();
  Result<Names> towers_asked_for() const;
  Result<Names> in_variant(const Names& finest);
  Names variants_of(const std::string& file) const;
  Error no_onnx() const;

  const Repository& repository_;
  const Selection& selection_;
  const Names onnx_;
  Choice choice_;
};

Error Chooser::no_onnx() const {
  std::string weights;
  for (const RepositoryFile& file : repository_.files) {
    const std::string extension = fs::path(file.path).extension().string();
    if (weights.empty() && (extension == ".safetensors" || extension == ".bin" || extension == ".pt"))
      weights = file.path;
  }
  return Error{ErrorCode::kUnsupported,
               repository_.id + " has no ONNX file" +
                   (weights.empty() ? "" : ", only PyTorch weights (" + weights + ")") +
                   ": use a repository with ONNX files, such as hf:Xenova/clip-vit-base-patch32 or those of "
                   "onnx-community and immich-app; or export it with models/export_clip.py"};
}

Names Chooser::variants_of(const std::string& file) const {
  std::set<std::string> found;
  for (const std::string& other : onnx_)
    if (clip::split_variant(other).stem == clip::split_variant(file).stem)
      found.insert(variant_of(clip::split_variant(other).ending));
  return {found.begin(), found.end()};
}

Result<Names> Chooser::towers_asked_for() const {
  Names towers;
  for (const std::string& wanted : selection_.files) {
    const auto same = [&](const RepositoryFile& file) { return file.path == wanted; };
    if (std::none_of(repository_.files.begin(), repository_.files.end(), same))
      return Error{ErrorCode::kNotFound,
                   repository_.id + " has no file " + wanted + ": its ONNX files are " + join(onnx_)};
    if (wanted.ends_with(".onnx")) towers.push_back(wanted);
  }
  return towers;
}

// By name, or the only one.
Result<Names> Chooser::towers() {
  if (Result<Names> asked_for = towers_asked_for(); !asked_for || !asked_for->empty()) return asked_for;
  if (onnx_.empty()) return no_onnx();
  Names finest;
  if (std::string both = both_in_one(repository_); repository_.is_siglip && !both.empty()) {
    finest.push_back(std::move(both));
  } else if (const auto named = clip::towers_by_name(onnx_, "")) {
    finest.push_back(named->visual);
    if (!named->textual.empty()) finest.push_back(named->textual);
  } else {
    std::set<std::string> stems;
    for (const std::string& file : onnx_) stems.insert(clip::split_variant(file).stem);
    if (stems.size() > 2)
      return Error{ErrorCode::kInvalid, repository_.id + " has several models: " + join(onnx_) +
                                            "; choose the image and the text tower with --file"};
    for (const std::string& stem : stems) {
      const auto best = std::min_element(onnx_.begin(), onnx_.end(), [&](const std::string& a, const std::string& b) {
        const auto rank = [&](const std::string& file) {
          const clip::VariantName name = clip::split_variant(file);
          return name.stem == stem ? clip::variant_rank(name.ending) : std::size_t{1000};
        };
        return rank(a) < rank(b);
      });
      finest.push_back(*best);
    }
  }
  return in_variant(finest);
}

// The same towers in the requested variant. If the text tower lacks it, its most precise variant is used.
Result<Names> Chooser::in_variant(const Names& finest) {
  if (selection_.variant.empty()) return finest;
  Names chosen;
  for (const std::string& file : finest) {
    std::string found;
    for (const std::string& ending : endings().at(selection_.variant)) {
      const std::string name = clip::split_variant(file).stem + ending + ".onnx";
      if (found.empty() && std::find(onnx_.begin(), onnx_.end(), name) != onnx_.end()) found = name;
    }
    if (found.empty() && chosen.empty())
      return Error{ErrorCode::kNotFound, repository_.id + " has no variant " + selection_.variant + " of " + file +
                                             ": choose one of " + join(variants_of(file))};
    if (found.empty())
      choice_.remarks.push_back(file + " has no variant " + selection_.variant + ": the file itself is used.");
    chosen.push_back(found.empty() ? file : found);
  }
  return chosen;
}

Result<Choice> Chooser::run() {
  const Result<Names> towers = this->towers();
  if (!towers) return towers.error();
  choice_.variant = variant_of(clip::split_variant(towers->front()).ending);
  std::set<std::string> folders{""};
  for (const std::string& tower : *towers) folders.insert(folder_of(tower));
  const auto has = [&](const std::string& path) {
    return std::any_of(repository_.files.begin(), repository_.files.end(),
                       [&](const RepositoryFile& file) { return file.path == path; });
  };
  for (const RepositoryFile& file : repository_.files) {
    const std::string folder = folder_of(file.path), name = fs::path(file.path).filename().string();
    const std::string beside = folder.empty() ? "" : folder + "/";
    // tokenizer.json contains the same as these two.
    const bool vocabulary = (name == "vocab.json" || name == "merges.txt") && !has(beside + "tokenizer.json");
    const bool near = folders.count(folder) > 0;
    const bool is_tower = std::find(towers->begin(), towers->end(), file.path) != towers->end();
    const bool asked_for =
        std::find(selection_.files.begin(), selection_.files.end(), file.path) != selection_.files.end();
    // A bundle of ours: its directory is the model.
    const bool in_bundle = has("bundle.json") && folder.empty() && !name.starts_with('.') &&
                           (!name.ends_with(".onnx") || selection_.variant.empty());
    if (is_tower || asked_for || in_bundle || is_weights_of(file.path, *towers) ||
        (near && (is_configuration(name) || vocabulary)) || (folder.empty() && is_legal(name)))
      choice_.files.push_back(file);
  }
  return choice_;
}

}  // namespace

std::string both_in_one(const Repository& repository) {
  std::string best;
  for (const std::string& file : onnx_files(repository)) {
    const clip::VariantName name = clip::split_variant(file);
    if (name.stem != "onnx/model" && name.stem != "model") continue;
    if (best.empty() || clip::variant_rank(name.ending) < clip::variant_rank(clip::split_variant(best).ending))
      best = file;
  }
  return best;
}

Result<Choice> choose(const Repository& repository, const Selection& selection) {
  return Chooser(repository, selection).run();
}

const std::vector<std::string>& variant_names() {
  static const Names names = {"fp32", "fp16", "int8", "uint8", "q8", "quantized", "q4", "q4f16", "bnb4"};
  return names;
}

}  // namespace bcp::cli::get

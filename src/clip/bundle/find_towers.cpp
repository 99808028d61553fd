// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/find_towers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "clip/bundle/not_onnx.hpp"
#include "clip/bundle/variant.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::string>;  // relative to the model's directory

constexpr std::size_t kMaxFiles = 64;  // ONNX files that are opened
constexpr std::array<const char*, 4> kTowerFolders = {"", "onnx", "visual", "textual"};

struct KnownNames {
  const char *layout, *visual, *textual;
};
constexpr std::array kKnown = {
    KnownNames{"Hugging Face", "onnx/vision_model", "onnx/text_model"},
    KnownNames{"Hugging Face", "vision_model", "text_model"},
    KnownNames{"Immich", "visual/model", "textual/model"},
    KnownNames{"open_clip export", "visual", "textual"},
    KnownNames{"open_clip export", "clip_visual", "clip_textual"},
    KnownNames{"open_clip export", "clip_visual", "clip_text"},
    KnownNames{"open_clip export", "image_encoder", "text_encoder"},
    KnownNames{"open_clip export", "image-encoder", "text-encoder"},
    KnownNames{"open_clip export", "vision_encoder", "text_encoder"},
    KnownNames{"open_clip export", "clip_image_encoder", "clip_text_encoder"},
    KnownNames{"open_clip export", "visual_encoder", "textual_encoder"},
    KnownNames{"open_clip export", "vision", "text"},
    KnownNames{"open_clip export", "image", "text"},
};

Files onnx_files(const fs::path& directory) {
  Files files;
  for (const std::string folder : kTowerFolders) {
    std::error_code error, ignored;
    fs::directory_iterator entry(directory / folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.ends_with(".onnx") && !name.starts_with(".") && fs::is_regular_file(entry->path(), ignored))
        files.push_back(folder.empty() ? name : folder + "/" + name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string joined_paths(const Files& files) {
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "" : ", ") + file;
  return text;
}

// Of several variants the one with that ending, else the most precise. Empty if there is no variant.
std::string best_variant(const Files& files, const std::string& ending) {
  const auto rank = [&](const std::string& file) {
    const std::string own = split_variant(file).ending;
    return own == ending ? std::size_t{0} : 1 + variant_rank(own);
  };
  const auto best =
      std::min_element(files.begin(), files.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return best == files.end() ? std::string() : *best;
}

Files with_stem(const Files& files, const std::string& stem) {
  Files found;
  std::copy_if(files.begin(), files.end(), std::back_inserter(found),
               [&](const std::string& file) { return split_variant(file).stem == stem; });
  return found;
}

// SigLIP 2 NaFlex: patches of pictures of any shape, with a mask.
bool takes_patches(const onnx::File& file) {
  return std::any_of(file.inputs().begin(), file.inputs().end(), [](const onnx::TensorInfo& input) {
    return input.name == "spatial_shapes" || input.name == "pixel_attention_mask";
  });
}

class Finder {
 public:
  Finder(std::string directory, std::string chosen)
      : directory_(std::move(directory)), chosen_(std::move(chosen)), files_(onnx_files(directory_)) {}

  Result<Towers> find();

 private:
  using Choice = NamedTowers;
  Result<Choice> by_tensors();
  Result<std::string> text_by_tensors(const std::string& ending);
  // The files for which `fits` holds, one per model, without its variants; unreadable files are skipped.
  template <typename Fits>
  Files models_that(Fits&& fits);
  Error several(const Files& candidates, const std::string& role, const std::string& key) const;
  const onnx::File* look_into(const std::string& file);
  Status check_chosen();
  Result<onnx::File> open(const std::string& file) const;

  std::string directory_, chosen_;
  Files files_;
  std::map<std::string, std::optional<onnx::File>> seen_;
  std::optional<Error> unreadable_;  // the first error
};

Result<onnx::File> Finder::open(const std::string& file) const {
  const std::string path = directory_ + "/" + file;
  if (Status fetched = check_fetched(path); !fetched) return fetched.error();
  return onnx::File::open(path);
}

const onnx::File* Finder::look_into(const std::string& file) {
  auto known = seen_.find(file);
  if (known == seen_.end()) {
    if (seen_.size() >= kMaxFiles) return nullptr;
    Result<onnx::File> opened = open(file);
    if (!opened && !unreadable_) unreadable_ = opened.error();
    known = seen_.emplace(file, opened ? std::optional(*std::move(opened)) : std::nullopt).first;
  }
  return known->second ? &*known->second : nullptr;
}

template <typename Fits>
Files Finder::models_that(Fits&& fits) {
  Files models, stems;
  for (const std::string& file : files_) {
    const std::string stem = split_variant(file).stem;
    if (std::find(stems.begin(), stems.end(), stem) != stems.end()) continue;
    stems.push_back(stem);
    const std::string finest = best_variant(with_stem(files_, stem), "");
    if (const onnx::File* const content = look_into(finest); content && fits(*content)) models.push_back(finest);
  }
  return models;
}

Error Finder::several(const Files& candidates, const std::string& role, const std::string& key) const {
  const std::string way_out = key == "visual.file" ? ", or give that file's path as the model" : "";
  return Error{ErrorCode::kInvalid, directory_ + " has several ONNX files that could be the " + role + ": " +
                                        joined_paths(candidates) + "; name one with the key " + key +
                                        " of a bundle.json" + way_out};
}

Result<std::string> Finder::text_by_tensors(const std::string& ending) {
  const Files texts = models_that([](const onnx::File& file) { return takes_tokens(file) && !takes_pictures(file); });
  if (texts.size() > 1) return several(texts, "text tower", "textual.file");
  if (texts.empty()) return std::string();
  return best_variant(with_stem(files_, split_variant(texts.front()).stem), ending);
}

Result<Finder::Choice> Finder::by_tensors() {
  Choice choice{"ONNX files", chosen_, ""};
  if (chosen_.empty()) {
    const Files pictures = models_that(takes_pictures);
    if (pictures.size() > 1) return several(pictures, "image tower", "visual.file");
    if (pictures.empty() && unreadable_) return *unreadable_;
    if (pictures.empty())
      return Error{ErrorCode::kNotFound,
                   directory_ + " has no image tower: none of " + joined_paths(files_) +
                       " has an input [batch, 3, height, width] of floats; add the image tower, or export "
                       "it in 32-bit floats"};
    choice.visual = pictures.front();
  }
  const Result<onnx::File> visual = open(choice.visual);
  if (visual && takes_pictures(*visual) && takes_tokens(*visual)) {
    choice.layout = "both towers in one file";
    return choice;
  }
  Result<std::string> textual = text_by_tensors(split_variant(choice.visual).ending);
  if (!textual) return textual.error();
  choice.textual = *std::move(textual);
  return choice;
}

// People may name either tower; but a model is selected by its image tower.
Status Finder::check_chosen() {
  const Result<onnx::File> file = open(chosen_);
  if (!file) return file.error();
  if (takes_pictures(*file) || !takes_tokens(*file)) return ok();
  const Files images = models_that(takes_pictures);
  return Error{ErrorCode::kInvalid,
               file->path() + " is a text tower, but a model is selected by its image tower: give " +
                   (images.empty() ? "the path of the image tower, which is not in this directory"
                                   : joined_paths(images) + " of " + directory_ + ", or the directory")};
}

Result<Towers> Finder::find() {
  const std::string weights = files_.empty() ? pytorch_weights(directory_) : "";
  if (!weights.empty())
    return Error{ErrorCode::kUnsupported, directory_ + " has PyTorch weights (" + weights +
                                              ") and no ONNX file: export it with models/export_clip.py, or with "
                                              "Hugging Face's Optimum"};
  if (files_.empty())
    return Error{ErrorCode::kNotFound, directory_ +
                                           " is not a model: it has no bundle.json and no ONNX file; models/README.md "
                                           "lists the supported layouts and how to make a bundle"};
  if (!chosen_.empty())
    if (Status sound = check_chosen(); !sound) return sound.error();
  std::optional<Choice> named = towers_by_name(files_, chosen_);
  Choice choice;
  if (named) {
    choice = *std::move(named);
  } else {
    Result<Choice> found = by_tensors();
    if (!found) return found.error();
    choice = *std::move(found);
  }
  Result<onnx::File> visual = open(choice.visual);
  if (!visual) return visual.error();
  if (takes_patches(*visual))
    return Error{ErrorCode::kUnsupported,
                 "the image tower " + visual->path() + " takes " + describe(visual->inputs()) +
                     ": patches of pictures of any shape (SigLIP 2 NaFlex) are not supported; use "
                     "the same model for pictures of one size, such as google/siglip2-base-patch16-224"};
  if (!takes_pictures(*visual))
    return Error{ErrorCode::kInvalid, "the image tower " + visual->path() + " does not take pictures; its inputs are " +
                                          describe(visual->inputs()) +
                                          ": export it with [batch, 3, height, width] in 32-bit floats, or name the "
                                          "right file with the key visual.file of a bundle.json"};
  const bool one_file = choice.textual.empty() && takes_tokens(*visual);
  if (choice.textual.empty() && !one_file) {
    Result<std::string> textual = text_by_tensors(split_variant(choice.visual).ending);
    if (!textual) return textual.error();
    choice.textual = *std::move(textual);
  }
  Towers towers{choice.layout, *std::move(visual), {}, one_file, {}};
  for (const std::string& file : files_)
    if (file != choice.visual && file != choice.textual) towers.others.push_back(directory_ + "/" + file);
  if (!choice.textual.empty()) {
    Result<onnx::File> textual = open(choice.textual);
    if (!textual) return textual.error();
    if (!takes_tokens(*textual))
      return Error{ErrorCode::kInvalid, "the text tower " + textual->path() + " does not take tokens; its inputs are " +
                                            describe(textual->inputs()) +
                                            ": export it with [batch, length] of integers, or name the right file "
                                            "with the key textual.file of a bundle.json"};
    towers.textual = *std::move(textual);
  }
  return towers;
}

}  // namespace

std::optional<NamedTowers> towers_by_name(const std::vector<std::string>& files, const std::string& chosen) {
  const std::string chosen_stem = split_variant(chosen).stem;
  std::optional<NamedTowers> found;
  for (const KnownNames& known : kKnown) {
    if (!chosen.empty() && known.visual != chosen_stem) continue;
    const std::string visual = chosen.empty() ? best_variant(with_stem(files, known.visual), "") : chosen;
    if (visual.empty()) continue;
    const std::string textual = best_variant(with_stem(files, known.textual), split_variant(visual).ending);
    // Several rows share a name: take the first with both towers, else the first with one.
    if (!found || !textual.empty()) found = NamedTowers{known.layout, visual, textual};
    if (!textual.empty()) break;
  }
  return found;
}

bool takes_pictures(const onnx::File& file) {
  return std::any_of(file.inputs().begin(), file.inputs().end(), onnx::holds_pictures);
}

bool takes_tokens(const onnx::File& file) {
  return std::any_of(file.inputs().begin(), file.inputs().end(), onnx::holds_tokens);
}

Result<Towers> find_towers(const std::string& directory, const std::string& chosen) {
  return Finder(directory, chosen).find();
}

bool looks_like_model(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "bundle.json", ignored) || !onnx_files(directory).empty();
}

}  // namespace bcp::clip

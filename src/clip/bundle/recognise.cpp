// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/recognise.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/json.hpp"
#include "base/mapped_file.hpp"
#include "clip/bundle/find_towers.hpp"
#include "clip/bundle/model_config.hpp"
#include "clip/bundle/not_onnx.hpp"
#include "clip/bundle/presence_keys.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// OpenAI's CLIP: the defaults.
constexpr std::array<float, 3> kClipMean = {0.48145466f, 0.4578275f, 0.40821073f};
constexpr std::array<float, 3> kClipStd = {0.26862954f, 0.26130258f, 0.27577711f};
constexpr int kClipSize = 224, kClipContext = 77;
constexpr double kClipScale = 100;

// The defaults of SigLIP.
constexpr std::array<float, 3> kHalf = {0.5f, 0.5f, 0.5f};
constexpr int kSiglipContext = 64;

constexpr std::size_t kMostOthers = 16;  // other ONNX files that are opened

Error no_clip(const std::string& directory, const std::string& why) {
  return Error{ErrorCode::kUnsupported, "the model " + directory + " " + why};
}

// Features before the projection into the space shared by image and text, by the names in transformers. SigLIP has no
// projection: its pooled output is the embedding.
bool is_unprojected(const onnx::TensorInfo& tensor, Scoring scoring) {
  const auto has = [&](const char* part) { return tensor.name.find(part) != std::string::npos; };
  return (has("pooler_output") && scoring == Scoring::kSoftmax) || has("last_hidden_state") || has("hidden_states");
}

// The outputs that could be embeddings of `role`: floats that depend only on the inputs that `feeds` selects.
Result<std::vector<onnx::TensorInfo>> embeddings_of(const onnx::File& file, bool (*feeds)(const onnx::TensorInfo&),
                                                    const std::string& role, Scoring scoring) {
  std::vector<onnx::TensorInfo> found;
  bool unprojected = false;
  for (const onnx::TensorInfo& output : file.outputs()) {
    if (!onnx::holds_floats(output) || output.shape.size() == 1) continue;
    const Result<std::vector<onnx::TensorInfo>> inputs = file.inputs_of(std::array{output.name});
    if (!inputs) return inputs.error();
    if (inputs->empty() || !std::all_of(inputs->begin(), inputs->end(), feeds)) continue;
    if (is_unprojected(output, scoring))
      unprojected = true;
    else
      found.push_back(output);
  }
  const std::string with_projection = role == "image" ? "CLIPVisionModelWithProjection" : "CLIPTextModelWithProjection";
  if (found.empty() && unprojected)
    return Error{ErrorCode::kUnsupported, "the " + role + " tower " + file.path() + " gives " +
                                              describe(file.outputs()) +
                                              ": features before CLIP's projection, which cannot be "
                                              "compared with the other tower's; export it with its projection (" +
                                              with_projection + ")"};
  if (found.empty())
    return invalid("the " + role + " tower " + file.path() + " gives " + describe(file.outputs()) +
                   ", but no float tensor that depends on the " + role + " only: export it with its embeddings as " +
                   role + "_embeds");
  return found;
}

// The common width of these outputs; 0 if it is unknown before a run.
int width_of(const std::vector<onnx::TensorInfo>& outputs) {
  std::int64_t width = 0;
  for (const onnx::TensorInfo& output : outputs) {
    if (output.shape.size() < 2 || output.shape.back() <= 0 || (width != 0 && output.shape.back() != width)) return 0;
    width = output.shape.back();
  }
  return width <= 65536 ? static_cast<int>(width) : 0;
}

// Whether a safetensors file is a text bank; other such files are the model's weights, and large.
bool is_text_bank(const std::string& path) {
  constexpr std::size_t kAny = std::size_t{1} << 40, kMaxHeader = std::size_t{16} << 20, kLengthBytes = 8;
  const Result<MappedFile> file = MappedFile::open(path, kAny);
  if (!file || file->bytes().size() < kLengthBytes) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, file->bytes().data(), kLengthBytes);
  if (length > kMaxHeader || length > file->bytes().size() - kLengthBytes) return false;
  const Result<json> header = parse_json(file->bytes().substr(kLengthBytes, static_cast<std::size_t>(length)));
  return header && value_of(*header, "embeddings").is_object() &&
         !value_of(value_of(*header, "__metadata__"), "labels").is_null();
}

Result<std::string> find_text_bank(const std::string& directory) {
  std::vector<std::string> banks;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, fs::directory_options::skip_permission_denied, ignored))
    if (entry.path().extension() == ".safetensors" && is_text_bank(entry.path().string()))
      banks.push_back(entry.path().filename().string());
  if (banks.empty()) return std::string();
  if (banks.size() == 1) return directory + "/" + banks.front();
  std::sort(banks.begin(), banks.end());
  std::string list;
  for (const std::string& bank : banks) list += (list.empty() ? "" : ", ") + bank;
  return invalid(directory + " has several text banks: " + list +
                 "; name one with the key text_bank.file of a bundle.json, or keep one");
}

// The name of the directory, or the one in Hugging Face's cache: models--OWNER--NAME/snapshots/REVISION.
std::string name_of(const std::string& directory) {
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  const fs::path path = error ? fs::path(directory) : real;
  if (path.parent_path().filename() == "snapshots") {
    const std::string repository = path.parent_path().parent_path().filename().string();
    if (const std::size_t at = repository.rfind("--"); repository.starts_with("models--"))
      return repository.substr(at + 2);
  }
  return path.filename().string();
}

bool is_clip_as_service(const std::string& name) {
  return name.starts_with("ViT-") || name.starts_with("RN") || name.starts_with("M-CLIP");
}

// Combines files, configuration and tensors.
class Recogniser {
 public:
  Recogniser(std::string directory, Towers towers, ModelConfig config)
      : directory_(std::move(directory)), towers_(std::move(towers)), config_(std::move(config)) {}

  Result<Recognised> run();

 private:
  const onnx::File& text_file() const { return towers_.textual ? *towers_.textual : towers_.visual; }
  bool has_text() const { return towers_.textual || towers_.one_file; }
  // The value of a trained parameter from the towers, else from the file with both towers.
  std::optional<float> trained(const char* name) const;
  std::optional<double> trained_scale() const;
  Scoring scoring() const { return siglip_.empty() ? Scoring::kSoftmax : Scoring::kSigmoid; }
  void find_scoring();
  Status check_is_known();
  Status read_scale();
  Status read_tensors();
  Status check_text_tower();
  void fill(Bundle& bundle);
  void assume(Bundle& bundle, const std::string& what) const { bundle.notes.push_back(what); }

  std::string directory_;
  Towers towers_;
  ModelConfig config_;
  std::string text_bank_;
  PresenceFile presence_;
  std::string siglip_;  // what shows that it is a SigLIP type; empty: it is not
  std::optional<double> scale_, bias_;
};

std::optional<float> Recogniser::trained(const char* name) const {
  for (const onnx::File* const file : std::array<const onnx::File*, 2>{&towers_.visual, &text_file()})
    if (const auto value = file->scalar(name)) return value;
  const std::size_t count = std::min(towers_.others.size(), kMostOthers);
  for (std::size_t i = 0; i < count; ++i)
    if (const Result<onnx::File> other = onnx::File::open(towers_.others[i]);
        other && takes_pictures(*other) && takes_tokens(*other))
      if (const auto value = other->scalar(name)) return value;
  return {};
}

std::optional<double> Recogniser::trained_scale() const {
  if (const auto value = trained("logit_scale")) return scale_from(*value);
  // Optimisers fold constants: what remains has PyTorch's name for the result of exp(logit_scale).
  const auto folded = siglip_.empty() ? std::nullopt : trained("/Exp_output_0");
  return folded && *folded > 0 ? std::optional<double>(*folded) : std::nullopt;
}

void Recogniser::find_scoring() {
  const auto has_bias = [](const onnx::File& file) {
    return file.scalar("logit_bias") || std::any_of(file.outputs().begin(), file.outputs().end(),
                                                    [](const auto& output) { return output.name == "logit_bias"; });
  };
  siglip_ = config_.siglip;
  for (const onnx::File* const file : std::array<const onnx::File*, 2>{&towers_.visual, &text_file()})
    if (siglip_.empty() && has_bias(*file)) siglip_ = file->path() + " has a logit_bias";
}

Status Recogniser::check_is_known() {
  const bool silent = !config_.found && config_.vocabulary.empty() && siglip_.empty();
  if (silent && has_text() && config_.context_length && config_.context_length->value == kSiglipContext)
    return no_clip(directory_,
                   "reads 64 tokens like a SigLIP model, but has no configuration: fetch its "
                   "config.json and tokenizer.json too, or describe it with a bundle.json");
  return ok();
}

Status Recogniser::read_scale() {
  scale_ = presence_.logit_scale;
  if (!scale_) scale_ = trained_scale();
  if (!scale_) scale_ = config_.logit_scale;
  if (siglip_.empty()) return ok();
  bias_ = presence_.logit_bias;
  if (!bias_) bias_ = trained("logit_bias");
  if (scale_ && bias_) return ok();
  const std::string lacking = scale_ ? "logit_bias" : bias_ ? "logit_scale" : "logit_scale and logit_bias";
  return Error{ErrorCode::kInvalid,
               "the model " + directory_ + " is of the SigLIP type (" + siglip_ +
                   ") and its ONNX files lack its trained " + lacking +
                   ", which the scores need: fetch the file with both towers too (onnx/model.onnx, or a "
                   "smaller variant of it), or write {\"logit_scale\": exp(t), \"logit_bias\": b} with t and b of its "
                   "checkpoint to " +
                   directory_ + "/" + kPresenceFile};
}

Status Recogniser::read_tensors() {
  for (const onnx::TensorInfo& input : towers_.visual.inputs()) {
    if (!onnx::holds_pictures(input) || (input.shape[2] < 0 && input.shape[3] < 0)) continue;
    const std::int64_t side = std::max(input.shape[2], input.shape[3]);
    if ((input.shape[2] >= 0 && input.shape[3] >= 0 && input.shape[2] != input.shape[3]) || side < 2 || side > 4096)
      return Error{ErrorCode::kUnsupported, "the image tower " + towers_.visual.path() + " takes " + describe(input) +
                                                ": only squares of 2 to 4096 pixels are supported"};
    if (Status agreed =
            ModelConfig::agree(config_.image_size, static_cast<int>(side), towers_.visual.path(), "image size");
        !agreed)
      return agreed;
  }
  const Result<std::vector<onnx::TensorInfo>> pictures =
      embeddings_of(towers_.visual, onnx::holds_pictures, "image", scoring());
  if (!pictures) return pictures.error();
  if (const int width = width_of(*pictures); width != 0)
    if (Status agreed = ModelConfig::agree(config_.embedding_size, width, towers_.visual.path(), "embedding's size");
        !agreed)
      return agreed;
  if (!has_text()) return ok();

  for (const onnx::TensorInfo& input : text_file().inputs()) {
    if (!onnx::holds_tokens(input) || input.shape[1] < 0) continue;
    if (input.shape[1] < 2 || input.shape[1] > 4096)
      return invalid("the text tower " + text_file().path() + " takes " + describe(input) +
                     ", but texts must have 2 to 4096 tokens: export it again");
    if (Status agreed = ModelConfig::agree(config_.context_length, static_cast<int>(input.shape[1]), text_file().path(),
                                           "context length");
        !agreed)
      return agreed;
  }
  const Result<std::vector<onnx::TensorInfo>> texts = embeddings_of(text_file(), onnx::holds_tokens, "text", scoring());
  if (!texts) return texts.error();
  if (const int width = width_of(*texts); width != 0)
    return ModelConfig::agree(config_.embedding_size, width, text_file().path(), "embedding's size");
  return ok();
}

// A text tower with an unknown tokenizer cannot be used, which is an error only without a text bank.
Status Recogniser::check_text_tower() {
  if (!has_text() && text_bank_.empty())
    return Error{ErrorCode::kNotFound, "the image tower " + towers_.visual.path() +
                                           " has neither a text tower (an ONNX file that takes tokens) nor a text bank "
                                           "(a safetensors file with embeddings and labels) in its directory: add one"};
  if (config_.no_clip_text.empty() && config_.reads_pieces && config_.vocabulary.empty()) {
    if (has_text() && text_bank_.empty())
      return Error{ErrorCode::kNotFound, "the model " + directory_ + " is of the SigLIP type (" + siglip_ +
                                             ") without a tokenizer.json: fetch that file of the model too"};
    config_.no_clip_text = "it has no tokenizer.json";
  }
  if (!has_text() || config_.no_clip_text.empty()) return ok();
  if (text_bank_.empty())
    return Error{ErrorCode::kUnsupported,
                 "the text tower " + text_file().path() + " does not read CLIP's tokens or SigLIP's (" +
                     config_.no_clip_text +
                     "), and other tokenizers are not supported: use another model, or add a text bank"};
  config_.notes.push_back("the text tower is not used, because it does not read CLIP's or SigLIP's tokens (" +
                          config_.no_clip_text + "): only the labels of the text bank can be used");
  towers_.textual.reset();
  towers_.one_file = false;
  return ok();
}

void Recogniser::fill(Bundle& bundle) {
  bundle.directory = directory_;
  bundle.name = name_of(directory_);
  bundle.layout = towers_.layout;
  if (bundle.layout == "open_clip export" && !config_.found && is_clip_as_service(bundle.name))
    bundle.layout = "clip-as-service";
  if (bundle.layout == "both towers in one file" && config_.found) bundle.layout = "Hugging Face, " + bundle.layout;
  if (!has_text()) bundle.layout = "image tower and text bank";
  bundle.visual.file = towers_.visual.path();
  bundle.text_bank = text_bank_;
  bundle.notes = std::move(config_.notes);

  bundle.tensor.size = config_.image_size ? config_.image_size->value : kClipSize;
  if (!config_.image_size) assume(bundle, "the model's files do not give its image size: 224 is assumed, as for CLIP");
  const bool siglip = !siglip_.empty();
  const std::string family = siglip ? "SigLIP's" : "CLIP's";
  bundle.tensor.mean = config_.mean.value_or(siglip ? kHalf : kClipMean);
  bundle.tensor.std = config_.std.value_or(siglip ? kHalf : kClipStd);
  if (!config_.mean || !config_.std)
    assume(bundle, "the model's files do not give its image mean and std: " + family + " mean and std are assumed");
  bundle.tensor.filter = config_.filter.value_or(image::Filter::kBicubic);
  bundle.tensor.resize = config_.resize.value_or(siglip ? image::Resize::kSquash : image::Resize::kShortest);
  bundle.tensor.resize_to = config_.resize_to;
  if (siglip && !config_.resize)
    assume(bundle,
           "the model's files do not say how its pictures are resized: resizing to a square is assumed, as for SigLIP");
  bundle.embedding_size = config_.embedding_size ? config_.embedding_size->value : 0;

  bundle.scoring = scoring();
  bundle.logit_bias = bias_.value_or(0);
  bundle.logit_scale = scale_.value_or(kClipScale);
  bundle.presence = presence_.traits;
  if (!scale_)
    assume(
        bundle,
        "the model's files do not give its logit scale: 100 is assumed, as for CLIP; if that is wrong, probabilities "
        "are too sharp or too flat");

  if (!has_text()) return;
  bundle.textual.emplace();
  bundle.textual->file = text_file().path();
  bundle.textual->vocabulary = config_.vocabulary;
  bundle.textual->context_length = config_.context_length ? config_.context_length->value
                                   : siglip               ? kSiglipContext
                                                          : kClipContext;
  bundle.textual->padding = config_.padding;
  // SigLIP takes its embedding from the last position, also if that is padding, and was trained on lower-case text.
  bundle.textual->pad_to_length = bundle.textual->lowercase = config_.reads_pieces;
  if (config_.vocabulary.empty()) assume(bundle, "it has no vocabulary file: CLIP's vocabulary is used");
}

Result<Recognised> Recogniser::run() {
  Result<std::string> bank = find_text_bank(directory_);
  if (!bank) return bank.error();
  text_bank_ = *std::move(bank);
  Result<PresenceFile> presence = read_presence_file(directory_);
  if (!presence) return presence.error();
  presence_ = *std::move(presence);
  find_scoring();
  if (Status checked = check_text_tower(); !checked) return checked.error();
  if (Status read = read_tensors(); !read) return read.error();
  if (Status known = check_is_known(); !known) return known.error();
  if (Status read = read_scale(); !read) return read.error();

  Recognised recognised;
  fill(recognised.bundle);
  const auto files_of = [](const onnx::File& file) {
    std::vector<std::string> files = {file.path()};
    files.insert(files.end(), file.external_files().begin(), file.external_files().end());
    return files;
  };
  recognised.visual_files = files_of(towers_.visual);
  if (has_text()) recognised.text_files = files_of(text_file());
  return recognised;
}

}  // namespace

Result<Recognised> recognise(const std::string& directory, const std::string& chosen) {
  Result<Towers> towers = find_towers(directory, chosen);
  Result<ModelConfig> config = read_model_config(directory);
  // Checked before other errors: its files are of another kind of model.
  const bool is_model = looks_like_model(directory) || !pytorch_weights(directory).empty();
  if (config && !config->no_clip.empty() && is_model) return no_clip(directory, config->no_clip);
  if (!towers) return towers.error();
  if (!config) return config.error();
  return Recogniser(directory, *std::move(towers), *std::move(config)).run();
}

}  // namespace bcp::clip

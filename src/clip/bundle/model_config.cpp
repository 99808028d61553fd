// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/model_config.hpp"

#include <cmath>
#include <filesystem>
#include <utility>

#include "base/spelling.hpp"
#include "clip/bundle/limits.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Names of the values in messages.
constexpr const char *kEmbedding = "embedding's size", *kImage = "image size", *kContext = "context length";

bool is_siglip(const std::string& name) {
  return lower(name).find("siglip") != std::string::npos;
}

void refuse_naflex(ModelConfig& config, const std::string& why) {
  config.no_clip = "is a SigLIP 2 NaFlex model (" + why +
                   "): its image tower takes patches of pictures of any shape, which is not supported; use the same "
                   "model for pictures of one size, such as google/siglip2-base-patch16-224";
}

Status read_number(JsonKeys& keys, const std::string& key, int high, std::optional<Said<int>>& known,
                   const std::string& what) {
  if (!keys.has(key)) return ok();
  const json* const value = keys.find(key);
  // open_clip writes a size as one number or two.
  if (value->is_array() && value->size() == 2 && (*value)[0] == (*value)[1] && (*value)[0].is_number_integer())
    return ModelConfig::agree(known, (*value)[0].get<int>(), keys.path(), what);
  const int number = keys.whole(key, 1, high);
  if (keys.error()) return *keys.error();
  return ModelConfig::agree(known, number, keys.path(), what);
}

// transformers' config.json.
Status read_hugging_face(JsonKeys& keys, ModelConfig& config) {
  for (const char* key : {"model_type", "text_config.model_type", "vision_config.model_type"})
    if (const std::string type = keys.text(key, false); is_siglip(type)) {
      config.siglip = keys.path() + " says " + key + " " + type;
      config.reads_pieces = true;
    }
  // Models with a fixed size have the type siglip, also SigLIP 2; the others count patches.
  if (keys.text("model_type", false) == "siglip2" && !keys.has("vision_config.image_size"))
    refuse_naflex(config, keys.path() + " says model_type siglip2 and no image_size");
  if (keys.has("vision_config.num_patches")) refuse_naflex(config, keys.path() + " has vision_config.num_patches");
  if (Status read = read_number(keys, "projection_dim", kMaxEmbedding, config.embedding_size, kEmbedding); !read)
    return read;
  for (const char* key : {"vision_config.image_size", "image_size"})
    if (Status read = read_number(keys, key, kMaxImageSize, config.image_size, kImage); !read) return read;
  for (const char* key : {"text_config.max_position_embeddings", "max_position_embeddings"})
    if (Status read = read_number(keys, key, kMaxContext, config.context_length, kContext); !read) return read;
  // The trained value; logit_scale_init_value is only the start of training.
  if (keys.has("logit_scale")) config.logit_scale = scale_from(keys.positive("logit_scale"));
  return ok();
}

// open_clip's model configuration: a separate file, or the part `at` of one.
Status read_open_clip_model(JsonKeys& keys, const std::string& at, ModelConfig& config) {
  if (keys.has(at + "init_logit_bias")) config.siglip = keys.path() + " has " + at + "init_logit_bias";
  for (const char* key : {"text_cfg.hf_tokenizer_name", "vision_cfg.timm_model_name", "text_cfg.hf_model_name"})
    if (const std::string name = keys.text(at + key, false); is_siglip(name))
      config.siglip = keys.path() + " names " + name;
  for (const char* key : {"text_cfg.hf_tokenizer_name", "text_cfg.hf_model_name"})
    if (const std::string name = keys.text(at + key, false); is_siglip(name))
      config.reads_pieces = true;
    else if (!name.empty() && lower(name).find("clip-vit") == std::string::npos)
      config.no_clip_text = keys.path() + " names " + name;
  if (Status read = read_number(keys, at + "embed_dim", kMaxEmbedding, config.embedding_size, kEmbedding); !read)
    return read;
  if (Status read = read_number(keys, at + "vision_cfg.image_size", kMaxImageSize, config.image_size, kImage); !read)
    return read;
  if (Status read = read_number(keys, at + "text_cfg.context_length", kMaxContext, config.context_length, kContext);
      !read)
    return read;
  // Without a causal mask padding counts, and open_clip trains with 0.
  if (const json* const open = keys.find(at + "text_cfg.no_causal_mask"); open && *open == true) config.padding = 0;
  return ok();
}

}  // namespace

std::optional<double> scale_from(double value) {
  // CLIP's parameter is log(100) = 4.6, the upper limit in training.
  const double scale = value <= 10 ? std::exp(value) : value;
  if (!std::isfinite(scale) || scale > 1e5) return {};
  return scale;
}

Status ModelConfig::agree(std::optional<Said<int>>& known, int value, const std::string& where,
                          const std::string& what) {
  if (known && known->value != value)
    return Error{ErrorCode::kInvalid, where + " gives " + std::to_string(value) + " as the " + what + ", but " +
                                          known->where + " gives " + std::to_string(known->value) +
                                          ": they do not belong to the same model; fetch it again"};
  if (!known) known = Said<int>{value, where};
  return ok();
}

Result<std::optional<JsonKeys>> open_first(const std::string& directory, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    Result<JsonKeys> keys = JsonKeys::open(path, "fetch it again, or describe the model with a bundle.json");
    if (!keys) return keys.error();
    return std::optional(*std::move(keys));
  }
  return std::optional<JsonKeys>();
}

Result<ModelConfig> read_model_config(const std::string& directory) {
  ModelConfig config;
  for (const char* name : {"config.json", "open_clip_config.json", "model_config.json"}) {
    Result<std::optional<JsonKeys>> opened = open_first(directory, {name});
    if (!opened) return opened.error();
    if (!*opened) continue;
    config.found = true;
    JsonKeys& keys = **opened;
    const bool nested = keys.has("model_cfg"), open_clip = nested || keys.has("vision_cfg") || keys.has("embed_dim");
    const Status read =
        open_clip ? read_open_clip_model(keys, nested ? "model_cfg." : "", config) : read_hugging_face(keys, config);
    if (!read) return read.error();
    if (keys.text("activation_function", false) == "sigmoid")
      config.siglip = keys.path() + " says activation_function sigmoid";
    if (keys.error()) return *keys.error();
  }
  if (!config.no_clip.empty()) return config;  // unusable: nothing else matters
  if (Status read = read_preprocess_config(directory, config); !read) return read.error();
  if (Status read = read_vocabulary_config(directory, config); !read) return read.error();
  return config;
}

}  // namespace bcp::clip

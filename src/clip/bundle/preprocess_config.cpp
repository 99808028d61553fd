// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/model_config.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

constexpr int kMaxImageSize = 4096;

// A size as transformers and open_clip write it: 224, [224, 224], {"shortest_edge": 224} or {"height", "width"}.
// 0: the key is missing or null.
int read_side(JsonKeys& keys, const std::string& key) {
  if (!keys.has(key)) return 0;
  const json* const value = keys.find(key);
  const auto fits = [](const json& side) { return side.is_number_integer() && side >= 2 && side <= kMaxImageSize; };
  if (fits(*value)) return value->get<int>();
  if (value->is_array() && value->size() == 2 && fits((*value)[0]) && (*value)[0] == (*value)[1])
    return (*value)[0].get<int>();
  if (value->is_array() && value->size() == 1 && fits((*value)[0])) return (*value)[0].get<int>();
  if (value->is_object()) {
    if (value->contains("shortest_edge") && fits((*value)["shortest_edge"]))
      return (*value)["shortest_edge"].get<int>();
    if (value->contains("height") && value->contains("width") && fits((*value)["height"]) &&
        (*value)["height"] == (*value)["width"])
      return (*value)["height"].get<int>();
  }
  keys.fail(key, "a square's side from 2 to " + std::to_string(kMaxImageSize) + " pixels", value);
  return 0;
}

bool is_on(const JsonKeys& keys, const std::string& key, bool otherwise) {
  const json* const value = keys.find(key);
  return value && value->is_boolean() ? value->get<bool>() : otherwise;
}

// Models are scored on what CLIP's own preprocessing gives; what another would do is said, not done.
void note_differences(const JsonKeys& keys, ModelConfig& config, const std::string& differs) {
  config.notes.push_back(keys.path() + " " + differs +
                         "; pictures are prepared as CLIP does it (shortest side to the "
                         "model's size, bicubic, middle square)");
}

// preprocessor_config.json.
Status read_transformers(JsonKeys& keys, ModelConfig& config) {
  const int size = read_side(keys, "size"), crop = read_side(keys, "crop_size");
  const bool crops = is_on(keys, "do_center_crop", crop != 0) && crop != 0;
  if (keys.error()) return *keys.error();
  if (const int side = crops ? crop : size; side != 0)
    if (Status agreed = ModelConfig::agree(config.image_size, side, keys.path(), "image size"); !agreed) return agreed;
  if (crops && size != 0 && size != crop)
    note_differences(keys, config,
                     "resizes to " + std::to_string(size) + " and then crops " + std::to_string(crop) + " pixels");
  else if (!crops && keys.has("size.height"))
    note_differences(keys, config, "squeezes pictures to a square");
  if (keys.has("resample") && *keys.find("resample") != 3)
    note_differences(keys, config, "resizes with another filter than bicubic");

  // x = (value * factor - mean) / std, and ours is (value / 255 - mean) / std.
  double factor = 1.0 / 255;
  if (!is_on(keys, "do_rescale", true))
    factor = 1;
  else if (keys.has("rescale_factor"))
    factor = keys.positive("rescale_factor");
  const bool normalises = is_on(keys, "do_normalize", true);
  if (!normalises) {
    config.mean = {0, 0, 0};
    config.std = {1, 1, 1};
  } else {
    if (keys.has("image_mean")) config.mean = keys.three("image_mean", -1e6);
    if (keys.has("image_std")) config.std = keys.three("image_std", 0);
  }
  if (keys.error()) return *keys.error();
  const auto unit = static_cast<float>(factor * 255);
  for (auto* const three : {&config.mean, &config.std})
    if (*three)
      for (float& number : **three) number /= unit;
  return ok();
}

// open_clip's, a file of its own (Immich) or the part `at` of open_clip_config.json.
Status read_open_clip(JsonKeys& keys, const std::string& at, ModelConfig& config) {
  if (const int size = read_side(keys, at + "size"); size != 0)
    if (Status agreed = ModelConfig::agree(config.image_size, size, keys.path(), "image size"); !agreed) return agreed;
  if (keys.has(at + "mean")) config.mean = keys.three(at + "mean", -1e6);
  if (keys.has(at + "std")) config.std = keys.three(at + "std", 0);
  if (const std::string mode = keys.text(at + "resize_mode", false); !mode.empty() && mode != "shortest")
    note_differences(keys, config, "resizes in the way \"" + mode + "\"");
  const std::string filter = keys.text(at + "interpolation", false);
  if (!filter.empty() && filter != "bicubic" && filter != "random")
    note_differences(keys, config, "resizes with the filter \"" + filter + "\"");
  if (keys.error()) return *keys.error();
  return ok();
}

}  // namespace

Status read_preprocess_config(const std::string& directory, ModelConfig& config) {
  const auto open = [&](const std::vector<std::string>& names) { return open_first(directory, names); };
  Result<std::optional<JsonKeys>> keys = open({"visual/preprocess_cfg.json", "preprocess_cfg.json"});
  if (!keys) return keys.error();
  if (*keys) {
    config.found = true;
    if (Status read = read_open_clip(**keys, "", config); !read) return read;
  }
  keys = open({"open_clip_config.json"});
  if (!keys) return keys.error();
  if (*keys && (*keys)->has("preprocess_cfg"))
    if (Status read = read_open_clip(**keys, "preprocess_cfg.", config); !read) return read;
  // open_clip's repositories carry this one too, for other programs; their own says the same.
  keys = open({"preprocessor_config.json"});
  if (!keys) return keys.error();
  if (!*keys) return ok();
  config.found = true;
  return read_transformers(**keys, config);
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/model_config.hpp"

#include <cmath>

#include "clip/bundle/limits.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

bool is_side(const json& value) {
  return value.is_number_integer() && value >= 2 && value <= kMaxImageSize;
}

// A size in one of the forms of transformers and open_clip: 224, [224, 224], {"shortest_edge": 224} or {"height",
// "width"}.
struct Side {
  int pixels = 0;                       // 0: the key is missing or null
  std::optional<image::Resize> resize;  // empty: the form of the key does not say
};

Side read_side(JsonKeys& keys, const std::string& key) {
  if (!keys.has(key)) return {};
  const json& value = *keys.find(key);
  if (is_side(value)) return {value.get<int>(), {}};
  if (value.is_array() && value.size() == 2 && is_side(value[0]) && value[0] == value[1]) return {value[0], {}};
  if (value.is_array() && value.size() == 1 && is_side(value[0])) return {value[0], {}};
  if (value.is_object()) {
    if (value.contains("shortest_edge") && is_side(value["shortest_edge"]))
      return {value["shortest_edge"], image::Resize::kShortest};
    if (value.contains("height") && value.contains("width") && is_side(value["height"]) &&
        value["height"] == value["width"])
      return {value["height"], image::Resize::kSquash};
  }
  keys.fail(key, "a square's side from 2 to " + std::to_string(kMaxImageSize) + " pixels", &value);
  return {};
}

bool is_on(const JsonKeys& keys, const std::string& key, bool otherwise) {
  const json* const value = keys.find(key);
  return value && value->is_boolean() ? value->get<bool>() : otherwise;
}

Error unsupported(const JsonKeys& keys, const std::string& what) {
  return Error{ErrorCode::kUnsupported,
               keys.path() + " " + what +
                   ", which is not supported: use a model that resizes the shorter side or squashes the picture, or "
                   "set image.resize in a bundle.json to one of these"};
}

// Uses the first file that configures resizing; an unsupported filter is noted.
void set_filter(const JsonKeys& keys, const std::string& name, ModelConfig& config) {
  if (config.filter) return;
  config.filter = name == "bilinear" ? image::Filter::kBilinear : image::Filter::kBicubic;
  if (name != "bicubic" && name != "bilinear")
    config.notes.push_back(keys.path() + " resizes with the filter " + name +
                           ", which is not supported: bicubic is used");
}

void set_resize(image::Resize resize, int side, int crop, ModelConfig& config) {
  if (config.resize) return;
  config.resize = resize;
  if (crop != 0 && side > crop) config.resize_to = side;
}

// preprocessor_config.json.
Status read_transformers(JsonKeys& keys, ModelConfig& config) {
  std::string type = keys.text("image_processor_type", false);
  if (type.empty()) type = keys.text("feature_extractor_type", false);
  if (type.starts_with("Siglip2ImageProcessor") || keys.has("max_num_patches")) {
    config.no_clip =
        "is a SigLIP 2 NaFlex model (" + keys.path() +
        " makes patches of pictures): its image tower takes pictures of any shape, which is not supported; "
        "use the same model for pictures of one size, such as google/siglip2-base-patch16-224";
    return ok();
  }
  const Side size = read_side(keys, "size"), crop = read_side(keys, "crop_size");
  const bool crops = is_on(keys, "do_center_crop", crop.pixels != 0) && crop.pixels != 0;
  if (keys.error()) return *keys.error();
  if (const int side = crops ? crop.pixels : size.pixels; side != 0)
    if (Status agreed = ModelConfig::agree(config.image_size, side, keys.path(), "image size"); !agreed) return agreed;
  if (is_on(keys, "do_pad", false)) return unsupported(keys, "pads pictures to a square (do_pad)");
  if (crops && size.pixels != 0 && size.pixels < crop.pixels)
    return unsupported(keys, "resizes to " + std::to_string(size.pixels) + " pixels and crops " +
                                 std::to_string(crop.pixels) + " of them");
  // A single number is the shorter side for CLIP's processor, and both sides for those of SigLIP and ViT.
  const bool square = type.starts_with("Siglip") || type.starts_with("ViT");
  const image::Resize open = square ? image::Resize::kSquash : image::Resize::kShortest;
  if (size.pixels != 0) set_resize(size.resize.value_or(open), size.pixels, crops ? crop.pixels : 0, config);
  // Without a crop, resizing the shorter side does not give a square.
  if (!crops && size.resize == image::Resize::kShortest)
    config.notes.push_back(keys.path() + " resizes the shorter side and does not crop: the middle square is used");
  if (!is_on(keys, "do_resize", true))
    config.notes.push_back(keys.path() + " does not resize pictures: they are resized anyway");
  if (keys.has("resample")) {
    const json& number = *keys.find("resample");  // Pillow's
    set_filter(keys, number == 2 ? "bilinear" : number == 3 ? "bicubic" : number.dump(), config);
  }

  // transformers: x = (value * factor - mean) / std; here: (value / 255 - mean) / std.
  double factor = 1.0 / 255;
  if (!is_on(keys, "do_rescale", true))
    factor = 1;
  else if (keys.has("rescale_factor"))
    factor = keys.positive("rescale_factor");
  std::optional<std::array<float, 3>> mean, std;
  if (!is_on(keys, "do_normalize", true)) {
    mean = {0, 0, 0};
    std = {1, 1, 1};
  } else {
    if (keys.has("image_mean")) mean = keys.three("image_mean", -1e6);
    if (keys.has("image_std")) std = keys.three("image_std", 0);
  }
  if (keys.error()) return *keys.error();
  const auto unit = static_cast<float>(factor * 255);
  for (auto* const three : {&mean, &std})
    if (*three)
      for (float& number : **three) number /= unit;
  if (!config.mean) config.mean = mean;
  if (!config.std) config.std = std;
  return ok();
}

// open_clip's preprocessing: a separate file (Immich) or the part `at` of open_clip_config.json.
Status read_open_clip_preprocess(JsonKeys& keys, const std::string& at, ModelConfig& config) {
  const Side size = read_side(keys, at + "size");
  if (size.pixels != 0)
    if (Status agreed = ModelConfig::agree(config.image_size, size.pixels, keys.path(), "image size"); !agreed)
      return agreed;
  if (!config.mean && keys.has(at + "mean")) config.mean = keys.three(at + "mean", -1e6);
  if (!config.std && keys.has(at + "std")) config.std = keys.three(at + "std", 0);
  // Defaults of open_clip: shortest, bicubic.
  const std::string mode = keys.text(at + "resize_mode", false), filter = keys.text(at + "interpolation", false);
  if (keys.error()) return *keys.error();
  if (!mode.empty() && mode != "shortest" && mode != "squash")
    return unsupported(keys, "uses the resize mode \"" + mode + "\"");
  set_resize(mode == "squash" ? image::Resize::kSquash : image::Resize::kShortest, 0, 0, config);
  // "random" is for training; open_clip uses bicubic otherwise.
  set_filter(keys, filter.empty() || filter == "random" ? "bicubic" : filter, config);
  return ok();
}

// timm's pretrained_cfg in config.json: pictures are resized larger than the crop.
Status read_timm(JsonKeys& keys, ModelConfig& config) {
  const std::string at = "pretrained_cfg.";
  if (!keys.has(at + "input_size")) return ok();
  const json& input = *keys.find(at + "input_size");
  if (!input.is_array() || input.size() != 3 || !is_side(input[1]) || input[1] != input[2])
    keys.fail(at + "input_size", "3 channels and two equal sides", &input);
  if (keys.error()) return *keys.error();
  const int size = input[1];
  if (Status agreed = ModelConfig::agree(config.image_size, size, keys.path(), "image size"); !agreed) return agreed;
  if (!config.mean && keys.has(at + "mean")) config.mean = keys.three(at + "mean", -1e6);
  if (!config.std && keys.has(at + "std")) config.std = keys.three(at + "std", 0);
  const double share = keys.has(at + "crop_pct") ? keys.positive(at + "crop_pct") : 1;
  const std::string mode = keys.text(at + "crop_mode", false), filter = keys.text(at + "interpolation", false);
  if (keys.error()) return *keys.error();
  if ((!mode.empty() && mode != "center" && mode != "squash") || share > 1)
    return unsupported(keys, "uses the crop mode \"" + mode + "\"");
  if (size / share > image::kMaxTensorSide)
    return unsupported(keys, "resizes to more than " + std::to_string(image::kMaxTensorSide) + " pixels");
  const int side = static_cast<int>(std::floor(size / share));
  set_resize(mode == "squash" ? image::Resize::kSquash : image::Resize::kShortest, side, size, config);
  if (!filter.empty()) set_filter(keys, filter, config);
  return ok();
}

}  // namespace

Status read_preprocess_config(const std::string& directory, ModelConfig& config) {
  const auto open = [&](const std::vector<std::string>& names) { return open_first(directory, names); };
  Result<std::optional<JsonKeys>> keys = open({"visual/preprocess_cfg.json", "preprocess_cfg.json"});
  if (!keys) return keys.error();
  if (*keys) {
    config.found = true;
    if (Status read = read_open_clip_preprocess(**keys, "", config); !read) return read;
  }
  keys = open({"open_clip_config.json"});
  if (!keys) return keys.error();
  if (*keys && (*keys)->has("preprocess_cfg"))
    if (Status read = read_open_clip_preprocess(**keys, "preprocess_cfg.", config); !read) return read;
  // open_clip's repositories also have this file, for other programs; open_clip's own file comes first.
  keys = open({"preprocessor_config.json"});
  if (!keys) return keys.error();
  if (*keys) {
    config.found = true;
    if (Status read = read_transformers(**keys, config); !read) return read;
  }
  keys = open({"config.json"});
  if (!keys) return keys.error();
  return *keys ? read_timm(**keys, config) : ok();
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/known.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/spelling.hpp"

namespace bcp::cli::get {
namespace {

// Speeds are those of models/README.md.
constexpr const char* kNotMeasured = "not measured";

constexpr std::array kModels = {
    KnownModel{"clip-vit-b32", "Xenova/clip-vit-base-patch32", "606 MB", "MIT", "104 ms",
               "the usual reference CLIP; any English words"},
    KnownModel{"clip-vit-b16", "Xenova/clip-vit-base-patch16", "600 MB", "MIT", "356 ms",
               "the same with smaller patches: detects smaller objects, takes 3.5 times as long"},
    KnownModel{"openclip-vit-b32", "immich-app/ViT-B-32__laion2b-s34b-b79k", "606 MB", "MIT", "104 ms",
               "open_clip's ViT-B/32, trained on LAION-2B: better than OpenAI's, as fast"},
    KnownModel{"mobileclip-s0", "Xenova/mobileclip_s0", "216 MB", "Apple sample code", "53 ms",
               "small computers: the smallest image tower of these"},
    KnownModel{"mobileclip-s2", "Xenova/mobileclip_s2", "397 MB", "Apple sample code", "162 ms",
               "small computers: nearly as good as ViT-B/16, and much faster"},
    KnownModel{"mobileclip2-s2", "RuteNL/MobileCLIP2-S2-OpenCLIP-ONNX", "397 MB", "Apple, research only", "162 ms",
               "research: the successor of mobileclip-s2"},
    KnownModel{"siglip-base", "Xenova/siglip-base-patch16-224", "813 MB", "Apache-2.0", "362 ms",
               "independent probabilities; English"},
    KnownModel{"siglip2-base", "onnx-community/siglip2-base-patch16-224-ONNX", "1.5 GB", "Apache-2.0", "362 ms",
               "independent probabilities; words in many languages"},
    KnownModel{"clip-rn50", "", "256 MB", "MIT", "123 ms", "the paper's ResNet-50; exported here, which needs PyTorch"},
    KnownModel{"clip-rn101", "", "292 MB", "MIT", kNotMeasured,
               "the paper's ResNet-101; exported here, which needs PyTorch"},
};

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::span<const KnownModel> known_models() {
  return kModels;
}

std::string canonical(const std::string& name) {
  std::string text = lower(name);
  if (text.ends_with(".pt")) text.resize(text.size() - 3);
  std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
  for (const char* left_out : {"openai", "clip"}) replace_all(text, left_out, "");
  replace_all(text, "basepatch", "b");
  replace_all(text, "resnet", "rn");
  return text;
}

const KnownModel* find_known(const std::string& name) {
  const auto same = [&](const KnownModel& model) {
    return lower(name) == model.name ||
           (!canonical(name).empty() && canonical(name) == canonical(std::string(model.name)));
  };
  const auto found = std::find_if(kModels.begin(), kModels.end(), same);
  return found == kModels.end() ? nullptr : &*found;
}

std::string nearest_known(const std::string& name) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 4) + 1;
  for (const KnownModel& model : kModels)
    for (const std::string_view spelling : {model.name, model.repository}) {
      const std::size_t off = spelling.empty() ? least : edit_distance(lower(name), lower(std::string(spelling)));
      if (off >= least) continue;
      least = off;
      nearest = spelling == model.name ? std::string(spelling) : "hf:" + std::string(spelling);
    }
  return nearest;
}

}  // namespace bcp::cli::get

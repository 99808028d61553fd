// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/correction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bcp::adapt {
namespace {

constexpr std::array kCorrections{
    CorrectionInfo{.correction = Correction::kNone,
                   .nick = "none",
                   .name = "CLIP",
                   .summary = "Plain CLIP; BCP goes on learning, so that it can be switched on at any time"},
    CorrectionInfo{.correction = Correction::kBcp,
                   .nick = "bcp",
                   .name = "BCP",
                   .summary = "Bayesian Conditional Priors: which labels occur together"},
    CorrectionInfo{.correction = Correction::kTda,
                   .nick = "tda",
                   .name = "TDA",
                   .summary = "For comparison: caches of sure and unsure frames (Karmanov et al., CVPR 2024)",
                   .wants_embeddings = true},
    CorrectionInfo{.correction = Correction::kDota,
                   .nick = "dota",
                   .name = "DOTA",
                   .summary = "For comparison: a Gaussian for each label (Han et al., NeurIPS 2025)",
                   .wants_embeddings = true},
    CorrectionInfo{.correction = Correction::kDmn,
                   .nick = "dmn",
                   .name = "DMN",
                   .summary = "For comparison: a memory of sure frames for each label (Zhang et al., CVPR 2024)",
                   .wants_embeddings = true,
                   .wants_text = true},
    CorrectionInfo{.correction = Correction::kAdapt,
                   .nick = "adapt",
                   .name = "ADAPT",
                   .summary = "For comparison: Gaussians that start at the labels' text (Zhang et al., NeurIPS 2025)",
                   .wants_embeddings = true,
                   .wants_text = true},
};

// Their order is that of the enum, so that a correction finds its own.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kCorrections.size(); ++i) {
    if (static_cast<std::size_t>(kCorrections[i].correction) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const CorrectionInfo> corrections() {
  return kCorrections;
}

const CorrectionInfo& info_of(Correction correction) {
  return kCorrections[static_cast<std::size_t>(correction)];
}

const CorrectionInfo* find_correction(std::string_view nick) {
  const auto found = std::find_if(kCorrections.begin(), kCorrections.end(),
                                  [&](const CorrectionInfo& info) { return nick == info.nick; });
  return found == kCorrections.end() ? nullptr : &*found;
}

}  // namespace bcp::adapt

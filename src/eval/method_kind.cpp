// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/method_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bcp::eval {
namespace {

constexpr std::array kMethods{
    MethodInfo{.kind = MethodKind::kNone, .nick = "none", .name = "CLIP", .summary = "Plain CLIP"},
    MethodInfo{.kind = MethodKind::kBcp,
               .nick = "bcp",
               .name = "BCP",
               .summary = "Bayesian Conditional Priors: which labels occur together"},
    MethodInfo{.kind = MethodKind::kTda,
               .nick = "tda",
               .name = "TDA",
               .summary = "For comparison: caches of confident and uncertain frames (Karmanov et al., CVPR 2024)",
               .wants_embeddings = true},
    MethodInfo{.kind = MethodKind::kDota,
               .nick = "dota",
               .name = "DOTA",
               .summary = "For comparison: a Gaussian for each label (Han et al., NeurIPS 2025)",
               .wants_embeddings = true},
    MethodInfo{.kind = MethodKind::kDmn,
               .nick = "dmn",
               .name = "DMN",
               .summary = "For comparison: a memory of confident frames for each label (Zhang et al., CVPR 2024)",
               .wants_embeddings = true,
               .wants_text = true},
    MethodInfo{.kind = MethodKind::kAdapt,
               .nick = "adapt",
               .name = "ADAPT",
               .summary = "For comparison: Gaussians that start at the labels' text (Zhang et al., NeurIPS 2025)",
               .wants_embeddings = true,
               .wants_text = true},
};

// In the order of the enum, so that a kind is an index.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    if (static_cast<std::size_t>(kMethods[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const MethodInfo> method_kinds() {
  return kMethods;
}

const MethodInfo& info_of(MethodKind kind) {
  return kMethods[static_cast<std::size_t>(kind)];
}

const MethodInfo* find_method(std::string_view nick) {
  const auto found =
      std::find_if(kMethods.begin(), kMethods.end(), [&](const MethodInfo& info) { return nick == info.nick; });
  return found == kMethods.end() ? nullptr : &*found;
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later

#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace bcp::adapt {

// Probabilities of logits. The largest logit is subtracted first: CLIP scales its logits by about 100, and what a
// corrected one grows to is bounded by nothing. REQUIRES: sizes agree, logits are finite.
inline void softmax(std::span<const double> logits, std::span<double> probabilities) {
  if (logits.empty()) return;
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) sum += probabilities[k] = std::exp(logits[k] - top);
  for (double& p : probabilities) p /= sum;
}

}  // namespace bcp::adapt

// SPDX-License-Identifier: LGPL-2.1-or-later

#pragma once

#include <span>

#include "adapt/vectors.hpp"

namespace bcp::adapt {

// Probabilities of logits. The largest logit is subtracted first: CLIP scales its logits by about 100, and corrected
// logits have no upper limit. REQUIRES: sizes agree, logits are finite.
inline void softmax(std::span<const double> logits, std::span<double> probabilities) {
  if (logits.empty()) return;
  vectors::scale(probabilities, 1 / vectors::exponentials(logits, vectors::largest(logits).value, probabilities));
}

}  // namespace bcp::adapt

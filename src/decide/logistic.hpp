// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From log odds to a probability.

#pragma once

#include <algorithm>
#include <cmath>

namespace bcp::decide {

// Log odds beyond 60 are practically certain; much larger values would overflow.
inline double logistic(double log_odds) {
  return 1 / (1 + std::exp(-std::clamp(log_odds, -60.0, 60.0)));
}

}  // namespace bcp::decide

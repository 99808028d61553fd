// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/scale_meter.hpp"

#include <Eigen/Core>
#include <cmath>

namespace bcp::decide {

void ScaleMeter::add(std::span<const double> scores) {
  const Eigen::Map<const Eigen::ArrayXd> s(scores.data(), static_cast<Eigen::Index>(scores.size()));
  sum_ += std::sqrt((s - s.mean()).square().mean());
  ++pictures_;
}

}  // namespace bcp::decide

// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts between 32-bit floats and 16-bit floats ("halves").

#pragma once

#include <Eigen/Core>
#include <span>

namespace bcp::onnx {

using Halves = Eigen::Map<Eigen::Array<Eigen::half, Eigen::Dynamic, 1>>;
using ConstHalves = Eigen::Map<const Eigen::Array<Eigen::half, Eigen::Dynamic, 1>>;

// REQUIRES: `to` has room for as many.
inline void to_halves(std::span<const float> from, Eigen::half* to) {
  const auto size = static_cast<Eigen::Index>(from.size());
  Halves(to, size) = Eigen::Map<const Eigen::ArrayXf>(from.data(), size).cast<Eigen::half>();
}
inline void to_floats(const Eigen::half* from, std::span<float> to) {
  const auto size = static_cast<Eigen::Index>(to.size());
  Eigen::Map<Eigen::ArrayXf>(to.data(), size) = ConstHalves(from, size).cast<float>();
}

}  // namespace bcp::onnx

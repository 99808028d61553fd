// SPDX-License-Identifier: LGPL-2.1-or-later
// What every tower's self-test asks of an embedding.

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "base/result.hpp"

namespace bcp::clip {

inline constexpr float kShortestEmbedding = 1e-3f;  // below this length it has no direction to speak of
inline constexpr float kSameEmbedding = 1e-3f;      // two inputs closer than this: the tower does not look at its input

// Finite, and long enough: then it is given unit length. `of` says what was encoded.
Status check_embedding(Eigen::VectorXf& embedding, const std::string& of);

// Whether what a tower gave for an input in a batch is the unit embedding it has alone.
bool is_same_in_batch(const Eigen::VectorXf& in_batch, const Eigen::VectorXf& alone);

// The unit embedding begins with the numbers the bundle expects (none: nothing to compare), to 5 % of their length:
// int8 kernels differ that much by CPU, and a wrong model or normalisation by far more.
Status compare_embedding(const Eigen::VectorXf& embedding, std::span<const float> expected, const std::string& of);

}  // namespace bcp::clip

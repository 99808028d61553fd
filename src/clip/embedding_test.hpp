// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of embeddings in the self-test of every tower.

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "base/result.hpp"

namespace bcp::clip {

inline constexpr float kShortestEmbedding = 1e-3f;  // a shorter embedding has no usable direction
inline constexpr float kSameEmbedding = 1e-3f;      // two inputs closer than this: the tower ignores its input

// Checks that it is finite and long enough, and normalises it. `of` names the input in errors.
Status check_embedding(Eigen::VectorXf& embedding, const std::string& of);

// Whether the embedding of an input in a batch is the unit embedding of the input alone.
bool is_same_in_batch(const Eigen::VectorXf& in_batch, const Eigen::VectorXf& alone);

// Checks that the unit embedding begins with the numbers the bundle expects (empty: no check), to 5 % of their length:
// int8 kernels differ that much between CPUs, and a wrong model or normalisation by far more.
Status compare_embedding(const Eigen::VectorXf& embedding, std::span<const float> expected, const std::string& of);

}  // namespace bcp::clip

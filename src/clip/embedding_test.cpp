// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/embedding_test.hpp"

namespace bcp::clip {
namespace {

constexpr float kTolerance = 0.05f;
constexpr float kBatchTolerance = 3e-3f;  // 16-bit floats are rounded this differently

}  // namespace

Status check_embedding(Eigen::VectorXf& embedding, const std::string& of) {
  if (!embedding.allFinite())
    return Error{ErrorCode::kInvalid, "its embedding of " + of + " is not finite; export it again, in 32-bit floats"};
  const float length = embedding.stableNorm();
  if (!(length > kShortestEmbedding))
    return Error{ErrorCode::kInvalid, "its embedding of " + of + " has length " + std::to_string(length) +
                                          "; export it again, and check that its weights are in it"};
  embedding /= length;
  return ok();
}

bool is_same_in_batch(const Eigen::VectorXf& in_batch, const Eigen::VectorXf& alone) {
  return in_batch.allFinite() && (in_batch.normalized() - alone).norm() < kBatchTolerance;
}

Status compare_embedding(const Eigen::VectorXf& embedding, std::span<const float> expected, const std::string& of) {
  if (expected.empty()) return ok();
  const auto known = static_cast<Eigen::Index>(expected.size());
  if (known > embedding.size())
    return Error{ErrorCode::kInvalid, "bundle.json expects " + std::to_string(known) + " numbers for " + of +
                                          ", but the tower gives " + std::to_string(embedding.size())};
  const Eigen::Map<const Eigen::VectorXf> numbers(expected.data(), known);
  const float difference = (embedding.head(known) - numbers).norm();
  if (difference <= kTolerance * numbers.norm() + kSameEmbedding) return ok();
  return Error{ErrorCode::kInvalid, "its embedding of " + of + " is not the one in bundle.json (the difference is " +
                                        std::to_string(difference) + " of " + std::to_string(numbers.norm()) + ")"};
}

}  // namespace bcp::clip

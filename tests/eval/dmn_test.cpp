// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DMN on cases computed by hand: two labels whose text embeddings are the axes, and a scale of 1.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "peer_support.hpp"

namespace bcp::eval {
namespace {

using test::adapted;
using test::make_peer;

const std::vector<float> kAxes{1, 0, 0, 1};

std::array<double, 2> shares(double a, double b) {
  return {1 / (1 + std::exp(b - a)), 1 / (1 + std::exp(a - b))};
}

// s* of logits s with softmax p, and the memory's q.
std::array<double, 2> merged(double s0, double s1, std::array<double, 2> q) {
  const auto p = shares(s0, s1);
  const double level = std::log(std::exp(s0) + std::exp(s1));
  return {level + std::log((p[0] + q[0]) / 2), level + std::log((p[1] + q[1]) / 2)};
}

TEST(Dmn, AFrameIsComparedWithItselfAndTheText) {
  const auto dmn = make_peer(MethodKind::kDmn, 2, 2, kAxes, 1);
  const adapt::Scores scores = adapted(*dmn, {2, 0}, {0.6F, 0.8F});
  // Kept for the first label. Its own weight is 1; the text's, of cosine 0.6, is w = exp(-5.5 * 0.4):
  //   f_0 = (0.6 + w, 0.8), and <x, f_0> = 0.6 (0.6 + w) + 0.64. f_1 is the other text, of cosine 0.8.
  const double w = std::exp(-5.5 * 0.4);
  const double length = std::sqrt((0.6 + w) * (0.6 + w) + 0.64);
  const auto want = merged(2, 0, shares((0.6 * (0.6 + w) + 0.64) / length, 0.8));
  EXPECT_NEAR(scores.corrected[0], want[0], 1e-6);
  EXPECT_NEAR(scores.corrected[1], want[1], 1e-6);
  EXPECT_EQ(scores.anchor, -1);
  EXPECT_EQ(scores.samples, 1);
}

TEST(Dmn, WithAnEmptyMemoryUsesOnlyTheText) {
  const auto dmn = make_peer(MethodKind::kDmn, 2, 2, kAxes, 1);
  // A classifier of only the text scores like plain CLIP: 0.6 and 0.8.
  const adapt::Scores scores = adapted(*dmn, {0.6, 0.8}, {0.6F, 0.8F}, false);
  EXPECT_NEAR(scores.corrected[0], 0.6, 1e-6);
  EXPECT_NEAR(scores.corrected[1], 0.8, 1e-6);
}

TEST(Dmn, WeightsEarlierFramesBySimilarity) {
  const auto dmn = make_peer(MethodKind::kDmn, 2, 2, kAxes, 1);
  adapted(*dmn, {2, 0}, {0, 1});  // kept for the first label, along the second's text
  const adapt::Scores scores = adapted(*dmn, {2, 0}, {0.6F, 0.8F}, false);
  // With cosine 0.8 to the frame, so with weight v = exp(-5.5 * 0.2): f_0 = (w, v).
  const double w = std::exp(-5.5 * 0.4), v = std::exp(-5.5 * 0.2);
  const auto want = merged(2, 0, shares((0.6 * w + 0.8 * v) / std::sqrt(w * w + v * v), 0.8));
  EXPECT_NEAR(scores.corrected[0], want[0], 1e-6);
  EXPECT_NEAR(scores.corrected[1], want[1], 1e-6);
}

TEST(Dmn, KeepsHopelessScoresFinite) {
  const auto dmn = make_peer(MethodKind::kDmn, 2, 2, kAxes, 5000);
  const adapt::Scores scores = adapted(*dmn, {5000, 0}, {1, 0});
  EXPECT_NEAR(scores.corrected[0], 5000, 1e-6);
  EXPECT_TRUE(std::isfinite(scores.corrected[1]));
  EXPECT_LT(scores.corrected[1], 5000 - 500);
}

TEST(Dmn, WithoutTextItIsRefused) {
  const auto peer = Peer::make(MethodKind::kDmn, {.count = 2, .width = 2, .text = {}});
  ASSERT_FALSE(peer);
  EXPECT_EQ(peer.error().message, "DMN needs the labels' text embeddings: give them, or choose another method");
}

}  // namespace
}  // namespace bcp::eval

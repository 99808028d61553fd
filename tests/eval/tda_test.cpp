// SPDX-License-Identifier: LGPL-2.1-or-later
//
// TDA on cases computed by hand. With p = adapt::softmax(s), H its entropy in nats:
//   s* = s + 2 sum exp(-5 (1 - cos)) over the label's confident frames - 0.117 sum exp(-(1 - cos)) over uncertain
//   frames that suspected the label

#include <gtest/gtest.h>

#include <cmath>

#include "peer_support.hpp"

namespace bcp::eval {
namespace {

using test::adapted;
using test::make_peer;

const std::vector<float> kRight{1, 0}, kUp{0, 1};

TEST(Tda, AConfidentFrameRaisesItsOwnLabel) {
  const auto tda = make_peer(MethodKind::kTda, 2, 2);
  // p = (0.953, 0.047), H = 0.191; over log2(2) = 1 that is below 0.2: confident. Its cosine with itself is 1.
  const adapt::Scores scores = adapted(*tda, {3, 0}, kRight);
  EXPECT_NEAR(scores.corrected[0], 3 + 2, 1e-6);
  EXPECT_NEAR(scores.corrected[1], 0, 1e-6);
  EXPECT_NEAR(scores.correction[0], 2, 1e-6);
  EXPECT_NEAR(scores.probability[0], 1 / (1 + std::exp(-5)), 1e-6);
  EXPECT_EQ(scores.anchor, -1);
  EXPECT_EQ(scores.samples, 1);
}

TEST(Tda, AnUncertainFrameLowersItsSuspectedLabels) {
  const auto tda = make_peer(MethodKind::kTda, 2, 2);
  adapted(*tda, {3, 0}, kRight);
  // p = (0.182, 0.818), H = 0.475: uncertain, and both labels are suspected. The cosine with the first frame is 0.
  const adapt::Scores scores = adapted(*tda, {0, 1.5}, kUp);
  EXPECT_NEAR(scores.corrected[0], 0 + 2 * std::exp(-5) - 0.117, 1e-6);
  EXPECT_NEAR(scores.corrected[1], 1.5 + 2 - 0.117, 1e-6);
}

TEST(Tda, AFrameWithHighEntropyIsNotCachedAsUncertain) {
  const auto tda = make_peer(MethodKind::kTda, 2, 2);
  // p = (0.525, 0.475), H = 0.692: above 0.5.
  const adapt::Scores scores = adapted(*tda, {0.1, 0}, kRight);
  EXPECT_NEAR(scores.corrected[0], 0.1 + 2, 1e-6);
  EXPECT_NEAR(scores.corrected[1], 0, 1e-6);
}

TEST(Tda, ALabelBelowTheThresholdIsNotSuspected) {
  const auto tda = make_peer(MethodKind::kTda, 3, 2);
  // exp: 1, e^-1.2 = 0.301, e^-4 = 0.0183; p = (0.758, 0.228, 0.0139), H = 0.606; over log2(3) that is 0.383:
  // uncertain. The third's p is below 0.03.
  const adapt::Scores scores = adapted(*tda, {4, 2.8, 0}, kRight);
  EXPECT_NEAR(scores.corrected[0], 4 + 2 - 0.117, 1e-6);
  EXPECT_NEAR(scores.corrected[1], 2.8 - 0.117, 1e-6);
  EXPECT_NEAR(scores.corrected[2], 0, 1e-6);
}

TEST(Tda, AFrameThatIsNotLearntIsStillCorrected) {
  const auto tda = make_peer(MethodKind::kTda, 2, 2);
  EXPECT_EQ(adapted(*tda, {3, 0}, kRight, false).corrected, (std::vector<double>{3, 0}));
  adapted(*tda, {3, 0}, kRight);
  const adapt::Scores scores = adapted(*tda, {3, 0}, kUp, false);
  EXPECT_NEAR(scores.corrected[0], 3 + 2 * std::exp(-5), 1e-6);
  EXPECT_EQ(scores.samples, 1);
}

TEST(Tda, ASingleLabelIsAlwaysConfident) {
  const auto tda = make_peer(MethodKind::kTda, 1, 2);
  EXPECT_NEAR(adapted(*tda, {3}, kRight).corrected[0], 3 + 2, 1e-6);
}

TEST(Tda, AReplacingFrameHasItsOwnSuspects) {
  const auto tda = make_peer(MethodKind::kTda, 3, 4);
  // All are uncertain, with the first label on top; each has a lower entropy than the one before: of three, the last
  // two stay.
  const std::vector<double> seconds{2.8, 2.7, 2.6};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<float> unit(4);
    unit[i] = 1;
    // The last suspects the third label, the others the second.
    adapted(*tda, i == 2 ? std::vector<double>{4, 0, seconds[i]} : std::vector<double>{4, seconds[i], 0}, unit);
  }
  // A frame orthogonal to all: each vote is exp(-1) against, and 2 exp(-5) for.
  const adapt::Scores scores = adapted(*tda, {0, 0, 0}, {0, 0, 0, 1}, false);
  EXPECT_NEAR(scores.corrected[0], 3 * 2 * std::exp(-5) - 2 * 0.117 * std::exp(-1), 1e-6);
  EXPECT_NEAR(scores.corrected[1], -0.117 * std::exp(-1), 1e-6);
  EXPECT_NEAR(scores.corrected[2], -0.117 * std::exp(-1), 1e-6);
}

}  // namespace
}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DOTA on cases computed by hand: labels of one or two numbers, with small matrices.

#include <gtest/gtest.h>

#include <cmath>

#include "peer_support.hpp"

namespace bcp::eval {
namespace {

using test::adapted;
using test::make_peer;

TEST(Dota, CorrectsTheFirstFrameWithTheInitialDistribution) {
  const auto dota = make_peer(MethodKind::kDota, 2, 1);
  // mu = 0.001, A = 1 / 0.002 = 500: x A mu - mu A mu / 2 = 0.5 - 0.00025, of which 0.005 * mean(c) = 0.005 is added.
  const adapt::Scores scores = adapted(*dota, {1, 0}, {1});
  EXPECT_NEAR(scores.corrected[0], 1 + 0.005 * 0.49975, 1e-12);
  EXPECT_NEAR(scores.corrected[1], 0.005 * 0.49975, 1e-12);
  EXPECT_EQ(scores.anchor, -1);
  EXPECT_EQ(scores.samples, 0) << "it is learnt after it is corrected";
}

TEST(Dota, CorrectsTheSecondFrameWithTheFirst) {
  const auto dota = make_peer(MethodKind::kDota, 2, 1);
  const double ln3 = std::log(3.0);
  adapted(*dota, {ln3, 0}, {1});  // p = (3/4, 1/4)
  // x - mu = 0.999, its square 0.998001:
  //   label 0: c = 7/4, mu = (0.001 + 3/4) / (7/4),  Sigma = (0.002 + 3/4 * 0.998001) / (7/4)
  //   label 1: c = 5/4, mu = (0.001 + 1/4) / (5/4),  Sigma = (0.002 + 1/4 * 0.998001) / (5/4)
  const double mu0 = 0.751 / 1.75, mu1 = 0.251 / 1.25;
  const double sigma = (0.75050075 / 1.75 + 0.25150025 / 1.25) / 2;
  const double a = 1 / (0.9999 * sigma + 0.0001);
  const adapt::Scores scores = adapted(*dota, {0, 0}, {-1});
  const double weight = 0.005 * 1.5;  // mean(c) = 3/2
  EXPECT_NEAR(scores.corrected[0], weight * (-a * mu0 - a * mu0 * mu0 / 2), 1e-7);
  EXPECT_NEAR(scores.corrected[1], weight * (-a * mu1 - a * mu1 * mu1 / 2), 1e-7);
  EXPECT_EQ(scores.samples, 1);
}

TEST(Dota, CountsCorrelatedDirectionsOnce) {
  const auto dota = make_peer(MethodKind::kDota, 1, 2);
  const auto half = static_cast<float>(std::sqrt(0.5));
  adapted(*dota, {0}, {half, half});  // p = 1
  // d = sqrt(1/2) - 0.001 both ways: Sigma = (0.002 I + d^2 J) / 2, J all ones; mu = (0.001 + sqrt(1/2)) / 2 both ways.
  // A = inverse of [u v; v u], u = 0.9999 (0.002 + d^2) / 2 + 0.0001, v = 0.9999 d^2 / 2.
  const double d = std::sqrt(0.5) - 0.001, mu = (0.001 + std::sqrt(0.5)) / 2;
  const double u = 0.9999 * (0.002 + d * d) / 2 + 0.0001, v = 0.9999 * d * d / 2;
  // For x = (1, 0): x' A mu = mu (u - v) / (u^2 - v^2) = mu / (u + v), and mu' A mu = 2 mu^2 / (u + v).
  const adapt::Scores scores = adapted(*dota, {0}, {1, 0}, false);
  EXPECT_NEAR(scores.corrected[0], 0.005 * 2 * (mu / (u + v) - mu * mu / (u + v)), 1e-7);
}

TEST(Dota, ItsWeightGrowsWithSamplesUpToAFifth) {
  const auto dota = make_peer(MethodKind::kDota, 1, 1);
  for (int t = 0; t < 39; ++t) adapted(*dota, {0}, {1});
  const double before = adapted(*dota, {0}, {1}, false).corrected[0];  // c = 40, 0.005 * 40 = 0.2
  for (int t = 0; t < 200; ++t) adapted(*dota, {0}, {1});
  const double after = adapted(*dota, {0}, {1}, false).corrected[0];
  // All frames are equal: mu goes to 1, Sigma to 0, and only the ridge remains. Only A grows: 240 samples against 40
  // leave a sixth of the start and of the first difference.
  const auto score = [](double c) {
    double mean = 0.001, sigma = 0.002;
    for (double n = 1; n < c; ++n) {
      sigma += ((1 - mean) * (1 - mean) - sigma) / (n + 1);
      mean += (1 - mean) / (n + 1);
    }
    return (mean - mean * mean / 2) / (0.9999 * sigma + 0.0001);
  };
  EXPECT_NEAR(before / (0.2 * score(40)), 1, 1e-5);
  EXPECT_NEAR(after / (0.2 * score(240)), 1, 1e-5);
}

TEST(Dota, AFrameThatIsNotLearntChangesNothing) {
  const auto dota = make_peer(MethodKind::kDota, 2, 2);
  adapted(*dota, {1, 0}, {1, 0});
  const adapt::Scores once = adapted(*dota, {1, 0}, {0, 1}, false);
  const adapt::Scores twice = adapted(*dota, {1, 0}, {0, 1}, false);
  EXPECT_EQ(once.corrected, twice.corrected);
  EXPECT_EQ(twice.samples, 1);
}

TEST(Dota, RefusesTooManyLabelsWithNameAndNumber) {
  const auto peer = Peer::make(MethodKind::kDota, {.count = 4000, .width = 512, .text = {}});
  ASSERT_FALSE(peer);
  EXPECT_EQ(peer.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(peer.error().message,
            "DOTA would keep 2039 MiB for 4000 labels of 512 numbers, more than the limit of 1024 MiB: use fewer "
            "labels, or --adapter bcp");
}

}  // namespace
}  // namespace bcp::eval

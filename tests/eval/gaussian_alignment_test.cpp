// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ADAPT on cases computed by hand: two labels whose text embeddings are the axes of a plane. T = 20.

#include <gtest/gtest.h>

#include <cmath>

#include "peer_support.hpp"

namespace bcp::eval {
namespace {

using test::adapted;

const double kSure = 1 / (1 + std::exp(-1));  // p of logits that are 1 apart: 0.731

class GaussianAlignmentInAPlane : public testing::Test {
 protected:
  const std::vector<float> axes_{1, 0, 0, 1};
  std::unique_ptr<Peer> adapt_ = test::make_peer(MethodKind::kAdapt, 2, 2, axes_);
};

TEST_F(GaussianAlignmentInAPlane, CorrectsNothingBeforeTheFirstKeptFrame) {
  EXPECT_EQ(adapted(*adapt_, {2, 1}, {1, 0}, false).corrected, (std::vector<double>{2, 1}));
}

TEST_F(GaussianAlignmentInAPlane, MeasuresTheFirstFrameFromTheText) {
  // Kept for the first label: mu_0 = 0.9 x + 0.1 t = x, and of one frame A = I.
  //   g = (1 - 1/2, 0 - 1/2), a difference of 1; the frame itself adds 20 / 2 * p_0 to the first.
  // The first label has the maximum and stays; the second falls by 1 + 10 p_0 in the exponent.
  const adapt::Scores scores = adapted(*adapt_, {2, 1}, {1, 0});
  EXPECT_NEAR(scores.corrected[0], 2, 1e-9);
  EXPECT_NEAR(scores.corrected[1], std::exp(-(1 + 10 * kSure) / 20), 1e-7);
  EXPECT_EQ(scores.anchor, -1);
  EXPECT_EQ(scores.samples, 1);
}

TEST_F(GaussianAlignmentInAPlane, HasNoSpreadWhenFramesEqualTheirMeans) {
  adapted(*adapt_, {2, 1}, {1, 0});
  // Both frames are their labels' means: the covariance is 0, and so is its pseudo-inverse. What remains is the
  // similarity of the frames: 20 / (2 * 2) p for its own, 0 for the other.
  const adapt::Scores scores = adapted(*adapt_, {1, 2}, {0, 1});
  EXPECT_NEAR(scores.corrected[0], std::exp(-5 * kSure / 20), 1e-7);
  EXPECT_NEAR(scores.corrected[1], 2, 1e-9);
}

TEST_F(GaussianAlignmentInAPlane, AThirdFrameMovesItsMeanAndAddsSpread) {
  adapted(*adapt_, {2, 1}, {1, 0});
  adapted(*adapt_, {1, 2}, {0, 1});
  const adapt::Scores scores = adapted(*adapt_, {0.5, 3.5}, {0.6F, 0.8F});
  // p_1 = 1 / (1 + e^-3). Kept for the second label together with (0, 1) of p = 0.731, counted twice for its mean:
  const double p = 1 / (1 + std::exp(-3));
  const double mx = 0.9 * 2 * p * 0.6 / (kSure + 2 * p);
  const double my = 0.9 * (kSure + 2 * p * 0.8) / (kSure + 2 * p) + 0.1;
  // From their means: (0, 0), (-mx, 1 - my), (0.6 - mx, 0.8 - my). Their scatter about their own mean is [a b; b d]:
  const double cx = (0.6 - 2 * mx) / 3, cy = (1.8 - 2 * my) / 3;
  const auto square = [](double value) { return value * value; };
  const double a = square(cx) + square(-mx - cx) + square(0.6 - mx - cx);
  const double d = square(cy) + square(1 - my - cy) + square(0.8 - my - cy);
  const double b = cx * cy + (-mx - cx) * (1 - my - cy) + (0.6 - mx - cx) * (0.8 - my - cy);
  // A = 2 [a + t, b; b, d + t]^-1, t = (a + d) / 2 being the trace of the covariance.
  const double t = (a + d) / 2, determinant = (a + t) * (d + t) - b * b;
  const auto product = [&](double ux, double uy, double vx, double vy) {  // u' A v
    return 2 / determinant * (ux * vx * (d + t) - b * (ux * vy + uy * vx) + uy * vy * (a + t));
  };
  const double g0 = product(0.6, 0.8, 1, 0) - product(1, 0, 1, 0) / 2;
  const double g1 = product(0.6, 0.8, mx, my) - product(mx, my, mx, my) / 2;
  // 3 frames are kept: 20 / 6 of p times the cosine, 0.6 with the first, 0.8 and 1 with those of the second.
  const double u0 = g0 + 20.0 / 6 * kSure * 0.6, u1 = g1 + 20.0 / 6 * (kSure * 0.8 + p);
  ASSERT_GT(u1, u0);
  EXPECT_NEAR(scores.corrected[0], 0.5 * std::exp((u0 - u1) / 20), 1e-6);
  EXPECT_NEAR(scores.corrected[1], 3.5, 1e-9);
}

TEST_F(GaussianAlignmentInAPlane, AFrameThatIsNotKeptChangesNothing) {
  for (int i = 0; i < 16; ++i) adapted(*adapt_, {2, 1}, {1, 0});
  const adapt::Scores before = adapted(*adapt_, {2, 1}, {0.6F, 0.8F}, false);
  adapted(*adapt_, {1.5, 1}, {0.8F, 0.6F});  // higher entropy than the sixteen kept ones
  EXPECT_EQ(adapted(*adapt_, {2, 1}, {0.6F, 0.8F}, false).corrected, before.corrected);
}

}  // namespace
}  // namespace bcp::eval

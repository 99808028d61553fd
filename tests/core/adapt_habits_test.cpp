// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/habits.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bcp::adapt {
namespace {

constexpr std::size_t kLabels = 12;

// Mostly label `a`, with a share of `b`; the rest evenly.
std::vector<double> sample(std::size_t a, std::size_t b) {
  std::vector<double> p(kLabels, 0.1 / kLabels);
  p[a] += 0.6;
  p[b] += 0.3;
  return p;
}

TEST(Habits, RaiseLabelsThatOccurTogether) {
  Cooccurrence seen(kLabels);
  for (int i = 0; i < 60; ++i) {
    seen.learn(sample(0, 1), 1);
    seen.learn(sample(2, 3), 1);
  }
  std::vector<double> shift(kLabels);
  Habits().shift(seen, sample(0, 0), 1, shift);
  EXPECT_GT(shift[1], 0.1) << "1 comes with 0";
  EXPECT_GT(shift[1], shift[3] + 0.1) << "3 does not";
  std::vector<double> half(kLabels);
  Habits().shift(seen, sample(0, 0), 0.5, half);
  EXPECT_NEAR(half[1], shift[1] / 2, 1e-12);
}

// Against the formulas of the header, written out for a frame with one anchor above the floor.
TEST(Habits, MatchTheFormulas) {
  Cooccurrence seen(kLabels);
  for (std::size_t i = 0; i < 30; ++i) seen.learn(sample(i % 5, (i + 1) % 7), 1);
  std::vector<double> p(kLabels, 0.0), shift(kLabels);
  p[2] = 0.9;
  Habits().shift(seen, p, 1, shift);
  const auto m = seen.single();
  const auto L = [&](std::size_t k) {
    const double rate = m[k] / seen.samples();
    return std::log((seen.pair(k, 2) + 20 * rate) / (m[2] + 20)) - std::log(rate);
  };
  std::vector<double> others;
  double diagonal = 0, mass = 0;
  for (std::size_t k = 0; k < kLabels; ++k) {
    if (k != 2) others.push_back(L(k));
    diagonal += seen.pair(k, k);
    mass += m[k];
  }
  std::sort(others.begin(), others.end());
  const double usual = 0.5 * diagonal / mass;
  for (std::size_t k = 0; k < kLabels; ++k) {
    const double peak = std::clamp(std::log((seen.pair(k, k) + 5 * usual) / ((m[k] + 5) * usual)), -2.0, 2.0);
    const double lift = k == 2 ? 0 : 0.9 * std::clamp(L(k) - others[5], -2.0, 2.0);
    EXPECT_NEAR(shift[k], 0.25 * lift + 0.3 * (1 - p[k]) * peak, 1e-12) << k;
  }
}

// The same with a share of sleeping scenes, for frames of each label in turn.
TEST(Habits, MatchTheFormulasWithScenes) {
  Cooccurrence seen(kLabels), all(kLabels);
  Others asleep{Cooccurrence(kLabels)};
  for (std::size_t i = 0; i < 90; ++i) {
    const auto p = i < 30 ? sample(i % 5, (i + 1) % 7) : sample(i % 6, (i + 3) % 6);
    (i < 30 ? seen : asleep.seen).learn(p, 1);
    all.learn(p, 1);
  }
  for (const double share : {0.0, 0.3, 1.0}) {
    for (std::size_t a = 0; a < 6; ++a) {
      std::vector<double> p(kLabels, 0.0), shift(kLabels);
      p[a] = 0.9;
      Habits().shift(seen, p, 1, shift, {.asleep = &asleep, .share = share});
      const double n = seen.samples() + share * asleep.seen.samples();
      const auto m = [&](std::size_t k) { return seen.single()[k] + share * asleep.seen.single()[k]; };
      const auto R = [&](std::size_t k) {
        const double rate = all.single()[k] / all.samples();
        return (all.pair(k, a) + 20 * rate) / (all.single()[a] + 20) / rate;
      };
      const auto L = [&](std::size_t k) {
        const double pairs = seen.pair(k, a) + share * asleep.seen.pair(k, a);
        return std::log((pairs + 20 * (1 + std::pow(1 - share, 3) * (R(k) - 1)) * m(k) / n) / (m(a) + 20)) -
               std::log(m(k) / n);
      };
      std::vector<double> others;
      double diagonal = 0, mass = 0;
      for (std::size_t k = 0; k < kLabels; ++k) {
        if (k != a) others.push_back(L(k));
        diagonal += all.pair(k, k);
        mass += all.single()[k];
      }
      std::sort(others.begin(), others.end());
      const double usual = 0.5 * diagonal / mass;
      for (std::size_t k = 0; k < kLabels; ++k) {
        const double peak =
            std::clamp(std::log((all.pair(k, k) + 5 * usual) / ((all.single()[k] + 5) * usual)), -2.0, 2.0);
        const double lift = k == a ? 0 : 0.9 * std::clamp(L(k) - others[5], -2.0, 2.0);
        EXPECT_NEAR(shift[k], 0.25 * lift + 0.3 * (1 - p[k]) * peak, 1e-9) << share << " " << a << " " << k;
      }
    }
  }
}

TEST(Habits, AreZeroBeforeTheFirstLearntFrameAndWithFewLabels) {
  std::vector<double> shift(kLabels, 1);
  Habits().shift(Cooccurrence(kLabels), sample(0, 1), 1, shift);
  EXPECT_EQ(shift, std::vector<double>(kLabels));
  Cooccurrence few(3);
  few.learn(std::vector{0.5, 0.3, 0.2}, 1);
  std::vector<double> three(3, 1);
  Habits().shift(few, std::vector{0.5, 0.3, 0.2}, 1, three);
  EXPECT_EQ(three, std::vector<double>(3));
}

}  // namespace
}  // namespace bcp::adapt

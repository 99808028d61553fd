// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Correcting and learning against a second, simple implementation in long double, on every kind of vector of this
// processor.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "adapt/bcp.hpp"
#include "adapt/triangle.hpp"
#include "adapt/vectors.hpp"

namespace bcp::adapt {
namespace {

using Logits = std::vector<double>;
using Exact = std::vector<long double>;

Exact softmax_of(const Exact& s) {
  const long double top = *std::max_element(s.begin(), s.end());
  Exact p;
  long double sum = 0;
  for (const long double x : s) sum += p.emplace_back(std::exp(x - top));
  for (long double& x : p) x /= sum;
  return p;
}

// Keeps all samples, each with its labels: sums are over samples that have both labels.
class Reference {
 public:
  explicit Reference(std::size_t labels) : came_(labels, 0) {}

  void learn(const Logits& logits, const BcpSettings& settings) {
    const long double decay = settings.half_life > 0 ? std::exp2(-1 / settings.half_life) : 1;
    for (long double& weight : weights_) weight *= decay;
    weights_.push_back(1);
    samples_.push_back(softmax_of(Exact(logits.begin(), logits.end())));
  }
  // New labels at the end.
  void grow(std::size_t labels) {
    came_.resize(labels, samples_.size());
    for (Exact& sample : samples_) sample.resize(labels, 0);
  }

  long double n(std::size_t since) const {
    return sum(since, [](const Exact&) { return 1.0L; });
  }
  long double m(std::size_t k, std::size_t since) const {
    return sum(since, [&](const Exact& p) { return p[k]; });
  }
  long double u(std::size_t i, std::size_t j) const {
    return sum(0, [&](const Exact& p) { return p[i] * p[j]; });
  }

  Exact corrected(const Logits& logits, const BcpSettings& settings) const {
    const Exact s(logits.begin(), logits.end()), p = softmax_of(s);
    const auto best = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    if (!(p[best] > settings.anchor_confidence) || samples_.empty()) return s;
    std::vector<std::size_t> order(s.size());
    for (std::size_t k = 0; k < s.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return p[x] > p[y]; });
    if (settings.anchors > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(settings.anchors)));
    Exact result = s;
    for (std::size_t k = 0; k < s.size(); ++k) {
      const bool is_anchor = settings.anchors > 0 && std::find(order.begin(), order.end(), k) != order.end();
      for (const std::size_t a : order) {
        if (a == k || is_anchor) continue;
        if (settings.anchors > 0)
          result[k] += information(k, a, settings.shrinkage) / static_cast<long double>(order.size());
        else if (p[a] >= 0.01L)
          result[k] += p[a] * p[a] * information(k, a, settings.shrinkage);
      }
    }
    return result;
  }

 private:
  template <typename Value>
  long double sum(std::size_t since, const Value& value) const {
    long double total = 0;
    for (std::size_t t = since; t < samples_.size(); ++t) total += weights_[t] * value(samples_[t]);
    return total;
  }
  // log P(k|a) - log P(k), from the samples taken while both were listed.
  long double information(std::size_t k, std::size_t a, long double lambda) const {
    const std::size_t since = std::max(came_[k], came_[a]);
    const long double mk = m(k, since), ma = m(a, since);
    if (!(mk > 0) || !(ma > 0)) return 0;
    const long double prior = mk / n(since);
    const long double given = (u(k, a) + lambda * prior) / (ma + (lambda > 0 ? lambda : 1e-8L));
    return std::log(given) - std::log(prior);
  }

  std::vector<std::size_t> came_;  // the sample with which each label was added
  std::vector<Exact> samples_;
  Exact weights_;
};

enum class Kind { kFlat, kUsual, kPeaked, kOneLabel, kMixed };

Logits random_frame(std::mt19937& random, std::size_t labels, Kind kind) {
  if (kind == Kind::kMixed) kind = static_cast<Kind>(random() % 4);
  std::uniform_real_distribution<double> spread(0, kind == Kind::kFlat ? 1e-3 : kind == Kind::kUsual ? 12 : 300);
  Logits frame(labels);
  for (double& s : frame) s = spread(random) - 150;
  if (kind == Kind::kOneLabel) {  // all others are faint and equal
    for (double& s : frame) s = 3 + s / 1000;
    frame[random() % labels] += 250;
  }
  return frame;
}

// Each kind of vectors in turn, down to none.
class Exactness : public testing::Test {
 protected:
  template <typename Check>
  static void on_all_processors(const Check& check) {
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      SCOPED_TRACE(hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      check();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

void expect_near(double value, long double expected, const char* what, std::size_t k) {
  ASSERT_NEAR(static_cast<double>(value / expected), 1, 1e-9) << what << " of label " << k;
}

// Compares corrected logits frame by frame, then m and some of U; optionally adds labels three times.
void run(std::size_t labels, std::size_t frames, Kind kind, const BcpSettings& settings, bool eras, unsigned seed) {
  SCOPED_TRACE(testing::Message() << labels << " labels, kind " << static_cast<int>(kind) << ", anchors "
                                  << settings.anchors << ", shrinkage " << settings.shrinkage << ", half-life "
                                  << settings.half_life << (eras ? ", eras" : ""));
  std::mt19937 random(seed);
  Bcp bcp(labels);
  Reference reference(labels);
  Scores scores;
  double worst = 0;
  for (std::size_t t = 0; t < frames; ++t) {
    if (eras && t % (frames / 4) == 1) {
      std::vector<int> from(labels + 2, -1);
      for (std::size_t k = 0; k < labels; ++k) from[k] = static_cast<int>(k);
      bcp.relabel(from);
      reference.grow(labels += 2);
    }
    const Logits frame = random_frame(random, labels, kind);
    ASSERT_TRUE(bcp.correct(frame, settings, scores));
    if (labels < 100 || t + 2 >= frames || t % 7 == 1) {  // the reference is slow
      const Exact expected = reference.corrected(frame, settings);
      for (std::size_t k = 0; k < labels; ++k)
        worst = std::max(worst, static_cast<double>(std::abs(scores.corrected[k] - expected[k])));
      const Exact p = softmax_of(expected);
      for (std::size_t k = 0; k < labels && !settings.keep_anchor; ++k)
        ASSERT_NEAR(scores.probability[k], static_cast<double>(p[k]), 1e-9);
    }
    if (random() % 2 == 0)
      bcp.learn(scores, settings);
    else
      ASSERT_TRUE(bcp.learn(frame, settings));
    reference.learn(frame, settings);
  }
  ASSERT_LT(worst, 1e-9);
  ASSERT_NEAR(bcp.seen().samples() / static_cast<double>(reference.n(0)), 1, 1e-12);
  Logits column(labels);
  const std::size_t step = 1 + labels / 8;
  for (std::size_t a = 0; a < labels; a += step) {
    expect_near(bcp.seen().single()[a], reference.m(a, 0), "m", a);
    bcp.seen().column(a, column);
    for (std::size_t k = 0; k < labels; k += 1 + step / 16) {
      ASSERT_EQ(column[k], bcp.seen().pair(a, k));
      if (reference.u(a, k) > 0) expect_near(column[k], reference.u(a, k), "U", k);
    }
  }
}

const BcpSettings kVariants[] = {
    {},
    {.anchor_confidence = 0},
    {.anchor_confidence = 0, .shrinkage = 2},
    {.anchor_confidence = 0, .half_life = 9},
    {.anchor_confidence = 0, .anchors = 3, .half_life = 2000},
    {.anchor_confidence = 0, .anchors = 0, .shrinkage = 1e-6},
    preset_settings(Preset::kVideo).bcp,
};

TEST_F(Exactness, HoldsForFewLabelsOverManyFrames) {
  on_all_processors([] {
    unsigned seed = 0;
    for (const std::size_t labels : {1u, 2u, 3u, 7u, 8u, 9u, 17u}) {
      for (const Kind kind : {Kind::kFlat, Kind::kUsual, Kind::kPeaked, Kind::kOneLabel, Kind::kMixed}) {
        for (const BcpSettings& settings : kVariants) {
          run(labels, 40, kind, settings, false, ++seed);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST_F(Exactness, HoldsForLabelsThatComeLater) {
  on_all_processors([] {
    unsigned seed = 1000;
    for (const std::size_t labels : {1u, 5u, 14u}) {
      for (const Kind kind : {Kind::kFlat, Kind::kUsual, Kind::kPeaked, Kind::kMixed}) {
        for (const BcpSettings& settings : kVariants) {
          run(labels, 32, kind, settings, true, ++seed);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST_F(Exactness, HoldsForManyLabels) {
  on_all_processors([] {
    unsigned seed = 2000;
    for (const std::size_t labels : {100u, 257u, 300u, 1000u, 2000u}) {
      for (const BcpSettings& settings : {BcpSettings{.anchor_confidence = 0}, preset_settings(Preset::kVideo).bcp}) {
        run(labels, 30, Kind::kMixed, settings, labels == 300, ++seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// 20 half-lives and more.
TEST_F(Exactness, HoldsForAStreamThatForgetsForLong) {
  run(5, 3000, Kind::kMixed, {.anchor_confidence = 0, .half_life = 50}, false, 1);
}

TEST(Vectors, ComputeExponentialsAndLogarithmsLikeTheStandardLibrary) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-700, 0);
  for (const std::size_t count : {1u, 7u, 8u, 9u, 1000u}) {
    Logits x(count), e(count), logarithm(count, 0.0);
    for (double& each : x) each = exponent(random);
    const double sum = vectors::exponentials(x, 0, e);
    double expected = 0;
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_NEAR(e[k] / std::exp(x[k]), 1, 1e-14);
      expected += std::exp(x[k]);
    }
    EXPECT_NEAR(sum / expected, 1, 1e-14);
    const bool faint = vectors::add_logarithms(e, Logits(count, 1.0), 1, 0, 2, logarithm);
    bool any = false;
    for (std::size_t k = 0; k < count; ++k) {
      const bool is_faint = vectors::is_faint(e[k], 1, 1, 0);
      any = any || is_faint;
      ASSERT_NEAR(logarithm[k], is_faint ? 0 : 2 * std::log(e[k]), 1e-12);
    }
    EXPECT_EQ(faint, any);
  }
}

TEST(Vectors, FindANonFiniteNumberAtAnyPosition) {
  for (const std::size_t count : {1u, 5u, 8u, 19u}) {
    Logits x(count, -3.0);
    EXPECT_TRUE(vectors::largest(x).finite);
    for (std::size_t k = 0; k < count; ++k) {
      for (const double wrong :
           {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        x[k] = wrong;
        EXPECT_FALSE(vectors::largest(x).finite) << k << " of " << count;
      }
      x[k] = 5;
      EXPECT_EQ(vectors::largest(x).value, 5);
      x[k] = -3;
    }
  }
}

// No bit depends on when a part of the triangle is updated.
TEST(Triangle, HasTheSameBitsWhenWorkIsDeferred) {
  std::mt19937 random(3);
  for (const std::size_t labels : {1u, 9u, 40u, 300u}) {
    Triangle at_once(labels), later(labels), mixed(labels);
    Logits p(labels), expected(labels), column(labels);
    for (int t = 0; t < 60; ++t) {
      for (double& x : p) x = std::exp(-static_cast<double>(random() % 1000) / 50);
      const double decay = t % 23 < 11 ? 1 : 0.97 + 0.01 * (t % 2);
      at_once.learn(p, decay);
      at_once.settle();
      later.learn_later(p, decay);
      random() % 3 ? mixed.learn(p, decay) : mixed.learn_later(p, decay);
      const std::size_t a = random() % labels, b = random() % labels;
      at_once.column(a, expected);
      for (const Triangle* each : {&later, &mixed}) {
        each->column(a, column);
        ASSERT_EQ(column, expected) << labels << " labels, sample " << t;
        ASSERT_EQ(each->at(a, b), at_once.at(b, a));
      }
    }
    EXPECT_EQ(later.packed(), at_once.packed());
    EXPECT_EQ(mixed.packed(), at_once.packed());
    EXPECT_EQ(Triangle(labels, mixed.packed()).packed(), at_once.packed());
    Triangle sum = mixed;
    sum.add(later);
    EXPECT_EQ(sum.at(0, labels - 1), 2 * at_once.at(0, labels - 1));
  }
}

}  // namespace
}  // namespace bcp::adapt

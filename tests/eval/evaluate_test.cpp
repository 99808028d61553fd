// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "eval/truth.hpp"
#include "eval_support.hpp"

namespace bcp::eval {
namespace {

using test::Made;
using test::number;

std::vector<std::string> keys_of(const Results& results) {
  std::vector<std::string> keys;
  for (const Line& line : results.main.lines) keys.push_back(line.name);
  return keys;
}

bool warned(const std::vector<std::string>& warnings, const std::string& what) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.find(what) != std::string::npos; });
}

void expect_refused(const Made& made, const Request& request, const std::string& what) {
  const Result<Results> results = made.try_evaluate(request);
  ASSERT_FALSE(results) << what;
  EXPECT_NE(results.error().message.find(what), std::string::npos) << results.error().message;
}

// Pictures in pairs of near copies, by embedding; the second of each pair has other scores.
Made pairs() {
  Made made = test::three_labels(40, 20, 5, 1);
  for (std::size_t t = 0; t < 40; ++t) {
    const std::size_t pair = t / 2;
    const auto angle = 0.7 * static_cast<double>(pair) + 0.001 * static_cast<double>(t % 2);
    made.embeddings.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
  }
  return made;
}

TEST(Evaluate, ShowsPlainClipAndBcpWithBothPresets) {
  Request request;
  EXPECT_EQ(keys_of(test::three_labels(10, 4, 0, 1).evaluate(request)),
            (std::vector<std::string>{"zero_shot", "bcp", "bcp_video"}));
  request.preset = adapt::Preset::kVideo;
  request.settings = adapt::preset_settings(request.preset);
  EXPECT_EQ(keys_of(test::three_labels(10, 4, 0, 1).evaluate(request)),
            (std::vector<std::string>{"zero_shot", "bcp", "bcp_paper"}));
  request.adapters = {MethodKind::kNone};
  EXPECT_EQ(keys_of(test::three_labels(10, 4, 0, 1).evaluate(request)), std::vector<std::string>{"zero_shot"});
}

TEST(Evaluate, TheOtherPresetDoesNotDependOnTheChosenOne) {
  const Made made = pairs();
  Request request;
  const Results paper = made.evaluate(request);
  request.preset = adapt::Preset::kVideo;
  request.settings = adapt::preset_settings(request.preset);
  const Results video = made.evaluate(request);
  EXPECT_EQ(number(paper.main, "bcp", "logits"), number(video.main, "bcp_paper", "logits"));
  EXPECT_EQ(number(paper.main, "bcp_video", "logits"), number(video.main, "bcp", "logits"));
}

TEST(Evaluate, LabelsWithoutPositivesAreNamedAndLeftOutOfTheMean) {
  const Made made{{{3, 1, 0}, {1, 2, 5}}, test::truth_of({{1, 0, 0}, {0, 1, -1}})};
  Request request;
  request.names = {"cat", "dog", "unicorn"};
  const Results results = made.evaluate(request);
  EXPECT_TRUE(warned(results.warnings, "unicorn"));
  EXPECT_FALSE(warned(results.warnings, "dog"));
  EXPECT_NEAR(number(results.main, "zero_shot", "logits"), 100, 1e-9);
  EXPECT_TRUE(std::isnan(number(results.per_class, "unicorn", "zero_shot.logits")));
  EXPECT_EQ(number(results.per_class, "unicorn", "positives"), 0);
}

TEST(Evaluate, TheNoveltyGateSkipsNearCopies) {
  Request request;
  request.settings.novelty.distance = 0.1;
  Made made = pairs();
  const Results gated = made.evaluate(request);
  EXPECT_TRUE(gated.warnings.empty());
  const Results all = made.evaluate();
  EXPECT_NE(gated.conditional, all.conditional);
  made.embeddings.clear();  // nothing to detect copies with
  const Results without = made.evaluate(request);
  EXPECT_EQ(without.conditional, all.conditional);
  EXPECT_TRUE(warned(without.warnings, "BCP (paper, as set) learnt from every sample"));
  EXPECT_TRUE(warned(without.warnings, "BCP (video) learnt from every sample"));
}

TEST(Evaluate, TheHeatMapShowsTopics) {
  const Results results = test::three_labels(2000, 20, 5, 1).evaluate();
  ASSERT_EQ(results.labels.size(), 20u);
  ASSERT_EQ(results.conditional.size(), 400u);
  double least_within = 1, most_across = 0;
  for (std::size_t a = 0; a < 20; ++a) {
    for (std::size_t b = 0; b < 20; ++b) {
      const double p = results.conditional[a * 20 + b];
      if (a == b) {
        EXPECT_EQ(p, 0);
      } else if (a / 4 == b / 4) {
        least_within = std::min(least_within, p);
      } else {
        most_across = std::max(most_across, p);
      }
    }
  }
  EXPECT_GT(least_within, most_across);
}

TEST(Evaluate, ThereIsNoHeatMapForTooManyLabels) {
  EXPECT_FALSE(test::three_labels(5, kMostPairedLabels, 0, 1).evaluate().conditional.empty());
  const Results results = test::three_labels(5, kMostPairedLabels + 1, 0, 1).evaluate();
  EXPECT_TRUE(results.conditional.empty());
  EXPECT_TRUE(results.labels.empty());
}

TEST(Evaluate, OneLabelIsRankedByLogitsWithAWarning) {
  const Made made{{{3}, {1}, {2}}, test::truth_of({{1}, {0}, {1}})};
  const Results results = made.evaluate();
  EXPECT_NEAR(number(results.main, "bcp", "logits"), 100, 1e-9);
  EXPECT_TRUE(warned(results.warnings, "one label"));
}

TEST(Evaluate, RefusesInconsistentFiles) {
  const Made made = test::three_labels(10, 4, 0, 1);
  Made other = made;
  other.logits.pop_back();
  expect_refused(other, {}, "the scores have 9 samples and 4 labels, but the ground truth has 10 samples and 4 labels");
  Request request;
  request.names = {"a", "b", "c", "d", "e"};
  expect_refused(made, request, "5 names for 4 labels");
  request = {};
  request.adapters = {MethodKind::kTda};
  expect_refused(made, request, "TDA needs embeddings");
  request.adapters = {};
  request.protocols = {Protocol::kWarmUp};
  expect_refused(made, request, "warm-up needs BCP");
}

TEST(Evaluate, ReportsItsProgress) {
  const bcp::test::TemporaryDirectory directory;
  const Made made = test::three_labels(600, 4, 0, 1);
  std::vector<float> all;
  for (const auto& row : made.logits) all.insert(all.end(), row.begin(), row.end());
  ASSERT_TRUE(write_npy(directory / "l.npy", all, {600, 4}));
  Result<Stream> stream = Stream::open({.logits = directory / "l.npy", .embeddings = {}, .text = {}});
  ASSERT_TRUE(stream);
  Request request = test::request_for({Protocol::kAnchors});
  request.names = {"a", "b", "c", "d"};
  std::vector<double> fractions;
  const auto listen = [&](double fraction, const std::string&) { fractions.push_back(fraction); };
  ASSERT_TRUE(evaluate(request, *stream, made.truth, listen));
  EXPECT_GT(fractions.size(), 10u);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GT(fractions.front(), 0);
  EXPECT_LE(fractions.back(), 1);
}

class TruthFiles : public testing::Test {
 protected:
  Result<Truth> load(const std::vector<float>& values, const std::vector<std::size_t>& shape,
                     Difficult difficult = Difficult::kIgnore) {
    EXPECT_TRUE(write_npy(directory_ / "y.npy", values, shape));
    return load_truth(directory_ / "y.npy", difficult);
  }
  void expect_refused(const Result<Truth>& truth, const std::string& what) {
    ASSERT_FALSE(truth) << what;
    EXPECT_NE(truth.error().message.find(what), std::string::npos) << truth.error().message;
    EXPECT_NE(truth.error().message.find("y.npy"), std::string::npos) << truth.error().message;
  }
  bcp::test::TemporaryDirectory directory_;
};

TEST_F(TruthFiles, AreRowsOfOneZeroAndMinusOne) {
  EXPECT_EQ(load({1, 0, -1, 0, 1, 1}, {2, 3})->values, (std::vector<std::int8_t>{1, 0, -1, 0, 1, 1}));
  EXPECT_EQ(load({1, 0, -1}, {1, 3}, Difficult::kAbsent)->values, (std::vector<std::int8_t>{1, 0, 0}));
}

TEST_F(TruthFiles, WithAnythingElseAreRefused) {
  expect_refused(load({1, 0, 2}, {1, 3}), "2 in row 0, column 2");
  expect_refused(load({1, 0, 0.5, 0}, {2, 2}), "0.5 in row 1, column 0");
  expect_refused(load({1, NAN}, {1, 2}), "nan in row 0, column 1");
  expect_refused(load({0, -1}, {1, 2}), "contains no 1");
  expect_refused(load({1, 0}, {2}), "1 dimension");
}

}  // namespace
}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "eval/eval_support.hpp"

namespace bcp::eval {
namespace {

using test::Made;
using test::number;
using test::request_for;
using test::table;

TEST(Reliability, IsZeroWhenProbabilitiesAreTrueShares) {
  Reliability reliability;
  for (int i = 0; i < 10; ++i) reliability.add(0.3, i < 3);
  for (int i = 0; i < 10; ++i) reliability.add(0.9, i < 9);
  EXPECT_NEAR(reliability.error(), 0, 1e-9);
}

TEST(Reliability, WeighsBinsByTheirPairs) {
  Reliability reliability;
  for (int i = 0; i < 30; ++i) reliability.add(0.5, true);   // 0.5 off
  for (int i = 0; i < 10; ++i) reliability.add(0.1, false);  // 0.1 off
  EXPECT_NEAR(reliability.error(), 100 * (30 * 0.5 + 10 * 0.1) / 40, 1e-9);
  EXPECT_EQ(reliability.bins()[7].pairs, 30u);
  EXPECT_EQ(reliability.bins()[1].pairs, 10u);
}

TEST(Reliability, PutsOneIntoTheLastBinAndHasNoErrorWithoutPairs) {
  Reliability reliability;
  EXPECT_TRUE(std::isnan(reliability.error()));
  reliability.add(1, true);
  EXPECT_EQ(reliability.bins()[kBins - 1].pairs, 1u);
  EXPECT_EQ(reliability.error(), 0);
}

TEST(BestThreshold, IsTheLowestScoreWorthShowing) {
  EXPECT_EQ(best_threshold({{0.9, true}, {0.8, false}, {0.7, true}, {0.1, false}}), 0.7);
  EXPECT_EQ(best_threshold({{0.9, true}, {0.8, false}, {0.7, false}, {0.6, false}, {0.1, true}}), 0.9);
}

TEST(BestThreshold, ShowsEqualScoresTogether) {
  // The first of the equal scores alone would be better.
  EXPECT_EQ(best_threshold({{0.9, true}, {0.5, true}, {0.5, false}, {0.5, false}, {0.5, false}}), 0.9);
}

TEST(BestThreshold, IsInfiniteWithoutPositives) {
  EXPECT_EQ(best_threshold({{0.9, false}}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(best_threshold({}), std::numeric_limits<double>::infinity());
}

TEST(Triples, DealEveryLabelEquallyOften) {
  std::map<std::size_t, int> dealt;
  const auto triples = draw_triples(80, 200, 3);
  ASSERT_EQ(triples.size(), 200u);
  for (const auto& triple : triples) {
    EXPECT_EQ(std::set(triple.begin(), triple.end()).size(), 3u) << "a label twice in one triple";
    for (const std::size_t label : triple) ++dealt[label];
  }
  ASSERT_EQ(dealt.size(), 80u);
  for (const auto& [label, times] : dealt) EXPECT_TRUE(times == 7 || times == 8) << label << ": " << times;
  EXPECT_EQ(triples, draw_triples(80, 200, 3));
  EXPECT_NE(triples, draw_triples(80, 200, 4));
}

TEST(Triples, AreAsLargeAsTheListAllows) {
  EXPECT_EQ(draw_triples(2, 5, 0)[0].size(), 2u);
  EXPECT_EQ(draw_triples(1, 5, 0)[4], std::vector<std::size_t>{0});
}

// Twelve labels. In each picture label t % 12 stands out, and the next one a little.
Made two_labels(std::size_t samples) {
  Made made{{}, {samples, 12, std::vector<std::int8_t>(samples * 12)}};
  for (std::size_t t = 0; t < samples; ++t) {
    std::vector<float> row(12, 20);
    row[t % 12] = 28;
    row[(t + 1) % 12] = 24.5F;
    made.truth.values[t * 12 + t % 12] = made.truth.values[t * 12 + (t + 1) % 12] = 1;
    made.logits.push_back(std::move(row));
  }
  return made;
}

TEST(Decision, CountsTheLabelsOfEachRule) {
  const Results results = two_labels(24).evaluate(request_for({Protocol::kDecision}));
  const Table& decision = table(results, "decision");
  EXPECT_TRUE(decision.by_name);
  // The softmax has 0.97 and 0.03.
  for (const char* rule : {"softmax", "arg_max"}) {
    EXPECT_DOUBLE_EQ(number(decision, rule, "precision"), 100) << rule;
    EXPECT_DOUBLE_EQ(number(decision, rule, "recall"), 50) << rule;
    EXPECT_NEAR(number(decision, rule, "micro_f1"), 200.0 / 3, 1e-9) << rule;
    EXPECT_NEAR(number(decision, rule, "macro_f1"), 200.0 / 3, 1e-9) << rule;
    EXPECT_DOUBLE_EQ(number(decision, rule, "shown"), 1) << rule;
    EXPECT_DOUBLE_EQ(number(decision, rule, "true"), 2) << rule;
  }
  for (const char* rule : {"best_threshold", "oracle"}) {
    EXPECT_DOUBLE_EQ(number(decision, rule, "micro_f1"), 100) << rule;
    EXPECT_DOUBLE_EQ(number(decision, rule, "shown"), 2) << rule;
  }
  EXPECT_NEAR(number(decision, "best_threshold", "threshold"), 0.029, 0.001);
  EXPECT_DOUBLE_EQ(number(decision, "softmax", "map"), 100);
  EXPECT_GT(number(decision, "softmax", "ece_all"), 0);
  EXPECT_NO_THROW(number(decision, "bcp", "micro_f1"));
  ASSERT_EQ(results.details.size(), 2u);
  EXPECT_EQ(results.details[0].key, "reliability");
  EXPECT_EQ(results.details[0].lines.size(), kBins);
  EXPECT_EQ(results.details[1].key, "first_frames");
}

TEST(Decision, IgnoresTruthMinusOne) {
  Made made = two_labels(24);
  for (std::size_t t = 0; t < 24; ++t) made.truth.values[t * 12 + t % 12] = -1;
  const Results results = made.evaluate(request_for({Protocol::kDecision}));
  EXPECT_DOUBLE_EQ(number(table(results, "decision"), "softmax", "shown"), 0);
  EXPECT_DOUBLE_EQ(number(table(results, "decision"), "softmax", "true"), 1);
  EXPECT_DOUBLE_EQ(number(table(results, "decision"), "softmax", "recall"), 0);
}

TEST(Decision, HasNoLineForBcpUnlessSelected) {
  Request request = request_for({Protocol::kDecision});
  request.adapters = {};
  const Results results = two_labels(24).evaluate(request);
  EXPECT_ANY_THROW(number(table(results, "decision"), "bcp", "micro_f1"));
  EXPECT_NO_THROW(number(table(results, "decision"), "presence", "micro_f1"));
}

TEST(Decision, ShowsMoreAtALowerThresholdAndKeepsTheProbabilities) {
  const Results results = test::three_labels(400, 40, 4, 1).evaluate(request_for({Protocol::kDecision}));
  const Table& decision = table(results, "decision");
  EXPECT_GT(number(decision, "presence", "shown"), 0);
  EXPECT_GT(number(decision, "presence_035", "shown"), number(decision, "presence", "shown"));
  EXPECT_EQ(number(decision, "presence_035", "map"), number(decision, "presence", "map"));
  EXPECT_NEAR(number(results.details[1], "whole", "micro_f1"), number(decision, "presence", "micro_f1"), 1e-9);
  EXPECT_LE(number(results.details[1], "lowest", "micro_f1"), number(results.details[1], "mean", "micro_f1"));
}

// The first of five labels is not in the table, the others are.
TEST(Decision, TakesTheWordsOfTheTableByNameOrAlias) {
  const auto shown = [](const std::vector<std::string>& names, const std::vector<std::string>& aliases) {
    Request request = request_for({Protocol::kDecision});
    request.names = names;
    request.presence.aliases = aliases;
    return number(table(two_labels(24).evaluate(request), "decision"), "presence", "ece_all");
  };
  const std::vector<std::string> unknown = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  std::vector<std::string> known = unknown, alias(12);
  known[0] = alias[0] = "person";
  EXPECT_NE(shown(known, {}), shown(unknown, {}));
  EXPECT_EQ(shown(known, {}), shown(unknown, alias));
}

TEST(Decision, ShowsNothingBelowTenAnchorsAndReportsIt) {
  const Results results = test::three_labels(60, 9, 0, 1).evaluate(request_for({Protocol::kDecision}));
  const Table& decision = table(results, "decision");
  EXPECT_EQ(number(decision, "presence", "shown"), 0);
  EXPECT_NE(decision.note.find("Presence shows nothing"), std::string::npos) << decision.note;
  EXPECT_GT(number(decision, "softmax", "shown"), 0);
}

// Pictures are unit vectors, label k is direction k, context word i is direction 3 + i.
class FewLabels : public testing::Test {
 protected:
  static constexpr std::size_t kWords = 40, kContext = kWords - 3;

  FewLabels() {
    std::vector<float> pictures(kWords * kWords), text(3 * kWords);
    for (std::size_t i = 0; i < kWords; ++i) pictures[i * kWords + i] = 1;
    for (std::size_t k = 0; k < 3; ++k) text[k * kWords + k] = 1;
    EXPECT_TRUE(write_npy(directory_ / "v.npy", pictures, {kWords, kWords}));
    EXPECT_TRUE(write_npy(directory_ / "t.npy", text, {3, kWords}));
    settings_.context_text = clip::TextMatrix::Zero(kContext, kWords);
    for (std::size_t i = 0; i < kContext; ++i) {
      settings_.context.push_back("word " + std::to_string(i));
      settings_.context_text(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(3 + i)) = 1;
    }
    for (std::size_t k = 0; k < 3; ++k) truth_.values[k * 3 + k] = 1;
  }
  Stream stream() {
    return std::move(*Stream::open({.embeddings = directory_ / "v.npy", .text = directory_ / "t.npy", .scale = 20}));
  }
  Table few_labels() {
    Stream pictures = stream();
    const Order order = file_order(kWords);
    const Result<Table> found =
        few_labels_protocol(pictures, truth_, {.names = names_, .presence = settings_, .order = order});
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  bcp::test::TemporaryDirectory directory_;
  PresenceSettings settings_;
  std::vector<std::string> names_ = {"a", "b", "c"};
  Truth truth_{kWords, 3, std::vector<std::int8_t>(kWords * 3)};
};

TEST_F(FewLabels, ShowNothingWhenAContextWordExplainsThePicture) {
  const Table few = few_labels();
  EXPECT_DOUBLE_EQ(number(few, "presence", "false_alarm"), 0);
  EXPECT_DOUBLE_EQ(number(few, "presence", "recall"), 100);
  EXPECT_DOUBLE_EQ(number(few, "presence", "precision"), 100);
  EXPECT_DOUBLE_EQ(number(few, "softmax", "false_alarm"), 100);
}

TEST_F(FewLabels, DropAContextWordThatIsALabel) {
  const PresenceRule without(names_, settings_);
  settings_.context[4] = "b";
  const PresenceRule with(names_, settings_);
  EXPECT_EQ(with.anchors() + 1, without.anchors());
}

TEST_F(FewLabels, RefuseContextWordsOfAnotherModelOrWithoutEmbeddings) {
  settings_.context_text = clip::TextMatrix::Ones(kContext, 7);
  const Status other_model = check(settings_, stream());
  ASSERT_FALSE(other_model);
  EXPECT_NE(other_model.error().message.find("the same model"), std::string::npos) << other_model.error().message;
  Request request = request_for({Protocol::kDecision});
  request.presence = settings_;
  const Result<Results> no_embeddings = two_labels(24).try_evaluate(request);
  ASSERT_FALSE(no_embeddings);
  EXPECT_NE(no_embeddings.error().message.find("--embeddings"), std::string::npos) << no_embeddings.error().message;
}

// The softmax of three labels always has one above 0.2.
TEST_F(FewLabels, GiveAFalseAlarmBySoftmaxAndNoLabelsWithoutContextWords) {
  const Results results = test::three_labels(100, 30, 3, 1).evaluate(request_for({Protocol::kFewLabels}));
  const Table& few = table(results, "few_labels");
  EXPECT_DOUBLE_EQ(number(few, "softmax", "false_alarm"), 100);
  EXPECT_DOUBLE_EQ(number(few, "presence", "false_alarm"), 0);
  EXPECT_DOUBLE_EQ(number(few, "presence", "recall"), 0);
  EXPECT_NE(few.note.find("Presence shows nothing"), std::string::npos) << few.note;
  EXPECT_NE(few.note.find("seed 0"), std::string::npos) << few.note;
}

}  // namespace
}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Properties of every peer, and of the list of corrections.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "peer_support.hpp"

namespace bcp::eval {
namespace {

using test::adapted;
using test::VocStream;

TEST(Corrections, EachIsFoundByNickAndKind) {
  std::set<std::string> nicks;
  for (const MethodInfo& info : method_kinds()) {
    EXPECT_EQ(find_method(info.nick), &info_of(info.kind));
    EXPECT_TRUE(nicks.insert(info.nick).second) << info.nick;
    EXPECT_GT(std::string(info.name).size(), 0U);
    EXPECT_GT(std::string(info.summary).size(), 0U);
  }
  EXPECT_EQ(method_kinds()[0].kind, MethodKind::kNone);
  EXPECT_EQ(find_method("bcp")->kind, MethodKind::kBcp);
  EXPECT_EQ(find_method("BCP"), nullptr);
  EXPECT_EQ(find_method(""), nullptr);
}

TEST(Corrections, ThoseWithoutEmbeddingsAreNotPeers) {
  for (const MethodKind correction : {MethodKind::kNone, MethodKind::kBcp}) {
    EXPECT_FALSE(info_of(correction).wants_embeddings);
    EXPECT_FALSE(Peer::make(correction, {.count = 2, .width = 2, .text = {}}));
  }
}

std::vector<MethodKind> peers() {
  std::vector<MethodKind> all;
  for (const MethodInfo& info : method_kinds()) {
    if (info.wants_embeddings) all.push_back(info.kind);
  }
  return all;
}

class Peers : public testing::TestWithParam<MethodKind> {
 protected:
  std::unique_ptr<Peer> make(std::size_t labels = 20) const {
    return test::make_peer(GetParam(), labels, 512, VocStream::get().text);
  }
  // Corrected scores of the stream's pictures, in order.
  static std::vector<double> run(Peer& peer, std::size_t pictures) {
    const VocStream& stream = VocStream::get();
    std::vector<double> all;
    for (std::size_t t = 0; t < pictures; ++t) {
      const adapt::Scores scores = adapted(peer, stream.logits[t], stream.embeddings[t]);
      all.insert(all.end(), scores.corrected.begin(), scores.corrected.end());
    }
    return all;
  }
};

// The first four labels of the 60th picture, and the total change of all 60, from an independent NumPy implementation.
struct Expected {
  std::vector<double> last;
  double moved;
};
Expected expected(MethodKind correction) {
  switch (correction) {
    case MethodKind::kTda:
      return {{0.834442, 5.573269, -1.706141, -1.195242}, 209.745152};
    case MethodKind::kDota:
      return {{0.745761, 3.606102, -2.070942, -1.391111}, 66.680536};
    case MethodKind::kDmn:
      return {{0.137570, 4.266983, -2.438042, -1.937915}, 797.252096};
    case MethodKind::kAdapt:
      return {{0.000000, 3.645931, -0.000003, -0.000003}, 3155.924005};
    case MethodKind::kNone:
    case MethodKind::kBcp:
      break;
  }
  return {};
}

TEST_P(Peers, ScoreRealPicturesLikeAnIndependentImplementation) {
  const VocStream& stream = VocStream::get();
  const auto peer = make();
  adapt::Scores scores;
  double moved = 0;
  for (std::size_t t = 0; t < 60; ++t) {
    scores = adapted(*peer, stream.logits[t], stream.embeddings[t]);
    for (const double c : scores.correction) moved += std::abs(c);
  }
  const Expected want = expected(GetParam());
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(scores.corrected[k], want.last[k], 2e-5) << k;
  EXPECT_NEAR(moved, want.moved, 1e-4 * want.moved);
}

TEST_P(Peers, TheSameStreamGivesTheSameScores) {
  const auto one = make(), other = make();
  EXPECT_EQ(run(*one, 60), run(*other, 60));
}

TEST_P(Peers, EveryScoreOfARealStreamIsFiniteAndItsProbabilitiesAddUp) {
  const VocStream stream = VocStream::get().narrowed(128);
  const auto peer = test::make_peer(GetParam(), 20, stream.width, stream.text);
  adapt::Scores scores;
  double moved = 0;
  for (std::size_t t = 0; t < stream.logits.size(); ++t) {
    ASSERT_TRUE(peer->adapt({.logits = stream.logits[t], .embedding = stream.embeddings[t]}, true, scores));
    double sum = 0;
    for (std::size_t k = 0; k < 20; ++k) {
      ASSERT_TRUE(std::isfinite(scores.corrected[k])) << t;
      ASSERT_NEAR(scores.corrected[k], scores.zero_shot[k] + scores.correction[k], 1e-9);
      sum += scores.probability[k];
      moved += std::abs(scores.correction[k]);
    }
    ASSERT_NEAR(sum, 1, 1e-9);
    ASSERT_EQ(scores.anchor, -1);
  }
  EXPECT_GT(moved, 0);
}

TEST_P(Peers, NonFiniteNumbersAreAnErrorOfTheirFrameOnly) {
  const VocStream& stream = VocStream::get();
  const auto peer = make(), untouched = make();
  for (const std::size_t t : {0U, 1U}) {
    adapted(*peer, stream.logits[t], stream.embeddings[t]);
    adapted(*untouched, stream.logits[t], stream.embeddings[t]);
  }
  auto logits = stream.logits[2];
  auto embedding = stream.embeddings[2];
  adapt::Scores scores;
  logits[3] = std::numeric_limits<double>::quiet_NaN();
  const Status bad_score = peer->adapt({.logits = logits, .embedding = embedding}, true, scores);
  ASSERT_FALSE(bad_score);
  EXPECT_NE(bad_score.error().message.find("not a finite number"), std::string::npos);
  embedding[7] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(peer->adapt({.logits = stream.logits[2], .embedding = embedding}, true, scores));
  EXPECT_EQ(adapted(*peer, stream.logits[3], stream.embeddings[3]).corrected,
            adapted(*untouched, stream.logits[3], stream.embeddings[3]).corrected);
}

TEST_P(Peers, WorkWithOneLabelAndWithNone) {
  const VocStream& stream = VocStream::get();
  const auto one = make(1);
  for (std::size_t t = 0; t < 5; ++t) {
    const adapt::Scores scores = adapted(*one, {stream.logits[t][0]}, stream.embeddings[t]);
    EXPECT_TRUE(std::isfinite(scores.corrected[0]));
    EXPECT_EQ(scores.probability[0], 1);
  }
  const auto none = make(0);
  EXPECT_TRUE(adapted(*none, {}, stream.embeddings[0]).corrected.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Peers, testing::ValuesIn(peers()),
                         [](const auto& tested) { return info_of(tested.param).nick; });

}  // namespace
}  // namespace bcp::eval

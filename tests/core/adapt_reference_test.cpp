// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The adapter against arrays that an independent implementation made (tests/data/voc2007-stream).

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "common/npy.hpp"
#include "common/reference_variants.hpp"

namespace bcp::adapt {
namespace {

const std::string kStream = BCP_TEST_DATA "/voc2007-stream/";

std::vector<float> unit(const std::vector<double>& v) {
  double squares = 0;
  for (const double x : v) squares += x * x;
  std::vector<float> result;
  for (const double x : v) result.push_back(static_cast<float>(x / std::sqrt(squares)));
  return result;
}

class Reference : public testing::TestWithParam<test::Variant> {};

TEST_P(Reference, EveryCorrectedLogitIsWithin1e9) {
  const auto logits = test::load_npy(kStream + "logits.npy");
  const auto expected = test::load_npy(kStream + "corrected_" + GetParam().name + ".npy");
  const auto embeddings = test::load_npy(kStream + "embeddings.npy");
  const AdapterSettings& settings = GetParam().settings;
  Bcp bcp(20);
  NoveltyGate gate;
  Scores scores;
  double worst = 0;
  for (std::size_t t = 0; t < 600; ++t) {
    const auto s = logits.row(t);
    ASSERT_TRUE(bcp.correct(s, settings.bcp, scores));
    for (std::size_t k = 0; k < 20; ++k) worst = std::max(worst, std::abs(scores.corrected[k] - expected[t * 20 + k]));
    if (gate.admit(unit(embeddings.row(t)), {}, settings.novelty)) {
      ASSERT_TRUE(bcp.learn(s, settings.bcp));
    }
  }
  EXPECT_LT(worst, 1e-9);
}

TEST_P(Reference, TheSumsOfUAfterTheWholeStreamAgree) {
  std::ifstream file(kStream + "expected.json");
  const auto expected = nlohmann::json::parse(file)["variants"][GetParam().name];
  const auto logits = test::load_npy(kStream + "logits.npy"), embeddings = test::load_npy(kStream + "embeddings.npy");
  Bcp bcp(20);
  NoveltyGate gate;
  for (std::size_t t = 0; t < logits.shape[0]; ++t) {
    if (!gate.admit(unit(embeddings.row(t)), {}, GetParam().settings.novelty)) continue;
    ASSERT_TRUE(bcp.learn(logits.row(t), GetParam().settings.bcp));
  }
  double sum = 0, trace = 0;
  std::vector<double> column(20);
  for (std::size_t a = 0; a < 20; ++a) {
    bcp.seen().column(a, column);
    for (const double u : column) sum += u;
    trace += column[a];
  }
  EXPECT_NEAR(sum, expected["sum_U"].get<double>(), 1e-6);
  EXPECT_NEAR(trace, expected["trace_U"].get<double>(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Variants, Reference, testing::ValuesIn(test::kVariants),
                         [](const auto& variant) { return test::test_name(variant.param); });

}  // namespace
}  // namespace bcp::adapt

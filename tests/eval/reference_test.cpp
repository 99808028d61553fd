// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The evaluation of the bundled stream against figures of an independent implementation
// (tests/data/voc2007-stream/expected.json): every variant, order and treatment of difficult labels.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/reference_variants.hpp"
#include "eval/evaluate.hpp"
#include "eval/truth.hpp"

namespace bcp::eval {
namespace {

using Json = nlohmann::json;

const std::string kStream = BCP_TEST_DATA "/voc2007-stream/";
constexpr double kClose = 1e-6;

const Json& expected() {
  static const Json all = Json::parse(std::ifstream(kStream + "expected.json"));
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  std::ifstream file(kStream + "labels.txt");
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

Results evaluated(const adapt::AdapterSettings& settings, Difficult difficult, std::vector<Order> orders = {}) {
  Result<Stream> stream =
      Stream::open({.logits = kStream + "logits.npy", .embeddings = kStream + "embeddings.npy", .text = {}});
  EXPECT_TRUE(stream) << stream.error().message;
  const Result<Truth> truth = load_truth(kStream + "truth.npy", difficult);
  EXPECT_TRUE(truth) << truth.error().message;
  Request request;
  request.names = names();
  request.settings = settings;
  request.orders = std::move(orders);
  Result<Results> results = evaluate(request, *stream, *truth);
  EXPECT_TRUE(results) << results.error().message;
  return *results;
}

// Line `at` of the table has these figures in two columns from `column` on.
void expect_figures(const Table& table, std::size_t at, std::size_t column, const Json& figures, Difficult difficult) {
  const char* key = difficult == Difficult::kIgnore ? "ignore" : "absent";
  if (!figures["logits"].contains(key)) return;
  EXPECT_NEAR(table.lines[at].numbers[column], figures["logits"][key].get<double>(), kClose);
  EXPECT_NEAR(table.lines[at].numbers[column + 1], figures["softmax"][key].get<double>(), kClose);
}

class Reference : public testing::TestWithParam<test::Variant> {};

TEST_P(Reference, MapBeforeAndAfterIsAsExpected) {
  for (const Difficult difficult : {Difficult::kIgnore, Difficult::kAbsent}) {
    const Table main = evaluated(GetParam().settings, difficult).main;
    ASSERT_EQ(main.lines[1].name, "bcp");
    expect_figures(main, 0, 0, expected()["zero_shot"], difficult);
    expect_figures(main, 1, 0, expected()["variants"][GetParam().name]["natural"], difficult);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Reference, testing::ValuesIn(test::kVariants),
                         [](const auto& variant) { return test::test_name(variant.param); });

TEST(Reference, NoVariantIsLeftOut) {
  EXPECT_EQ(expected()["variants"].size(), std::size(test::kVariants));
}

// Two pictures have the same logit for a label: their order in the stream decides which ranks first.
TEST(Reference, EveryOrderIsAsExpectedAndTheMainTableIsTheirMean) {
  const Result<std::vector<Order>> orders = load_orders(kStream + "orders.npy", 4952);
  ASSERT_TRUE(orders) << orders.error().message;
  ASSERT_EQ(orders->size(), 5u);
  for (const Difficult difficult : {Difficult::kIgnore, Difficult::kAbsent}) {
    const Results results = evaluated({}, difficult, *orders);
    ASSERT_EQ(results.protocols.size(), 1u);
    const Table& table = results.protocols[0];
    EXPECT_EQ(table.key, "orderings");
    ASSERT_EQ(table.columns[2].key, "bcp.logits");
    ASSERT_EQ(table.lines.size(), 5u);
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      expect_figures(table, i, 2, expected()["variants"]["paper"]["seed" + std::to_string(i)], difficult);
      sum += table.lines[i].numbers[2];
    }
    EXPECT_NEAR(results.main.lines[1].numbers[0], sum / 5, 1e-9);
  }
}

}  // namespace
}  // namespace bcp::eval

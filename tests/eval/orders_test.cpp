// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "eval/groups.hpp"
#include "eval/orders.hpp"
#include "eval_support.hpp"

namespace bcp::eval {
namespace {

void expect_permutation(Order order, std::size_t samples) {
  ASSERT_EQ(order.size(), samples);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, file_order(samples));
}

// The share of neighbours with the same rarest label.
double bunched(const Truth& truth, const Order& order) {
  const std::vector<int> rarest = rarest_labels(truth);
  std::size_t same = 0;
  for (std::size_t i = 1; i < order.size(); ++i) same += rarest[order[i]] == rarest[order[i - 1]] ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(order.size() - 1);
}

TEST(Orders, TheFileOrderIsAscending) {
  EXPECT_EQ(file_order(3), (Order{0, 1, 2}));
  EXPECT_TRUE(file_order(0).empty());
}

TEST(Orders, AShuffleHasEverySampleOnceAndDependsOnTheSeed) {
  expect_permutation(shuffled_order(1000, 7), 1000);
  EXPECT_EQ(shuffled_order(1000, 7), shuffled_order(1000, 7));
  EXPECT_NE(shuffled_order(1000, 7), shuffled_order(1000, 8));
  EXPECT_EQ(shuffled_order(1, 0), Order{0});
}

TEST(Orders, ASeedMeansTheSameOrderOnEveryMachine) {
  EXPECT_EQ(shuffled_order(10, 0), (Order{7, 2, 0, 8, 3, 9, 6, 1, 5, 4}));
  const Truth truth = test::truth_of({{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 0}, {0, 0}});
  EXPECT_EQ(dirichlet_order(truth, 0.1, 0), (Order{2, 6, 0, 5, 7, 1, 4, 3}));
}

TEST(Orders, EveryPlaceOfAShuffleIsEquallyLikely) {
  constexpr std::size_t kDraws = 6000;
  std::array<std::array<int, 4>, 4> counts{};
  for (std::size_t seed = 0; seed < kDraws; ++seed) {
    const Order order = shuffled_order(4, seed);
    for (std::size_t i = 0; i < 4; ++i) ++counts[i][order[i]];
  }
  for (const auto& place : counts)
    for (const int count : place) EXPECT_NEAR(count, kDraws / 4, 200);  // six standard deviations
}

TEST(Orders, ADirichletOrderHasEverySampleOnceAlsoThoseWithoutLabels) {
  Truth truth = test::three_labels(500, 20, 5, 1).truth;
  for (std::size_t k = 0; k < 20; ++k) truth.values[k] = 0;
  for (const double gamma : {10.0, 0.1, 0.001, kSmallestGamma}) {
    expect_permutation(dirichlet_order(truth, gamma, 3), 500);
    EXPECT_EQ(dirichlet_order(truth, gamma, 3), dirichlet_order(truth, gamma, 3));
    EXPECT_NE(dirichlet_order(truth, gamma, 3), dirichlet_order(truth, gamma, 4));
  }
  expect_permutation(dirichlet_order({5, 1, std::vector<std::int8_t>(5)}, 0.1, 0), 5);
}

TEST(Orders, BunchesGrowAsGammaFalls) {
  const Truth truth = test::three_labels(2000, 20, 0, 1).truth;
  double before = bunched(truth, shuffled_order(truth.samples, 0));
  for (const double gamma : {1.0, 0.1, 0.01}) {
    double now = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) now += bunched(truth, dirichlet_order(truth, gamma, seed)) / 10;
    EXPECT_GT(now, before) << gamma;
    before = now;
  }
  EXPECT_GT(before, 0.4);
}

// With the smallest gamma all pictures of a label are in one span: those between its first and last picture belong to
// labels of the same span.
TEST(Orders, TheSmallestGammaKeepsALabelTogether) {
  const Truth truth = test::three_labels(2000, 20, 0, 1).truth;
  const Order order = dirichlet_order(truth, kSmallestGamma, 0);
  const std::vector<int> rarest = rarest_labels(truth);
  std::array<std::vector<std::size_t>, 20> places;
  for (std::size_t i = 0; i < order.size(); ++i) places[static_cast<std::size_t>(rarest[order[i]])].push_back(i);
  for (const auto& a : places) {
    for (const auto& b : places) {
      if (a.empty() || b.empty()) continue;
      const bool apart = a.back() < b.front() || b.back() < a.front();
      const bool mixed = a.front() < b.back() && b.front() < a.back();
      EXPECT_NE(apart, mixed || &a == &b);
    }
  }
}

class OrderFiles : public testing::Test {
 protected:
  Result<std::vector<Order>> load(const std::vector<float>& numbers, const std::vector<std::size_t>& shape,
                                  std::size_t samples) {
    EXPECT_TRUE(write_npy(directory_ / "o.npy", numbers, shape));
    return load_orders(directory_ / "o.npy", samples);
  }
  bcp::test::TemporaryDirectory directory_;
};

TEST_F(OrderFiles, HaveOneOrderOrSeveral) {
  EXPECT_EQ(*load({2, 0, 1}, {3}, 3), (std::vector<Order>{{2, 0, 1}}));
  EXPECT_EQ(*load({2, 0, 1, 0, 1, 2}, {2, 3}, 3), (std::vector<Order>{{2, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ(*load({0}, {1}, 1), (std::vector<Order>{{0}}));
}

TEST_F(OrderFiles, AreRefusedWhenASampleIsMissing) {
  const auto expect_error = [](const Result<std::vector<Order>>& orders, const std::string& what) {
    ASSERT_FALSE(orders) << what;
    EXPECT_NE(orders.error().message.find(what), std::string::npos) << orders.error().message;
    EXPECT_NE(orders.error().message.find("o.npy"), std::string::npos) << orders.error().message;
  };
  expect_error(load({0, 1, 1}, {3}, 3), "1 in it twice");
  expect_error(load({0, 1, 3}, {3}, 3), "3 in it");
  expect_error(load({0, 1, -1}, {3}, 3), "-1 in it");
  expect_error(load({0, 1, 0.5}, {3}, 3), "0.5 in it");
  expect_error(load({0, 1, NAN}, {3}, 3), "nan in it");
  expect_error(load({0, 1, 2, 0, 0, 0}, {2, 3}, 3), "order 1 ");
  expect_error(load({0, 1, 2}, {3}, 4), "not contain orders of 4 samples");
  expect_error(load({0, 1, 2}, {3, 1}, 3), "not contain orders of 3 samples");
  expect_error(load({0, 1, 2}, {1, 1, 3}, 3), "not contain orders of 3 samples");
}

}  // namespace
}  // namespace bcp::eval

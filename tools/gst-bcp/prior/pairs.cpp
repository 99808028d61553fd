// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/prior/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace bcp::cli {
namespace {

// The first `count` in this order; equal pairs in the order of the labels.
std::vector<Pair> first(std::vector<Pair> pairs, std::size_t count, const std::function<bool(double, double)>& before) {
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(count, pairs.size()));
  std::partial_sort(pairs.begin(), end, pairs.end(), [&](const Pair& x, const Pair& y) {
    if (x.information != y.information) return before(x.information, y.information);
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  pairs.erase(end, pairs.end());
  return pairs;
}

}  // namespace

StrongestPairs strongest_pairs(const adapt::Cooccurrence& seen, std::size_t count, double support) {
  // The counts of a pair, seen and expected, never exceed those of either label: so rare labels are skipped, and of
  // twenty thousand labels few remain.
  const auto m = seen.single();
  std::vector<std::size_t> labels;
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (m[k] >= support) labels.push_back(k);
  }
  std::vector<Pair> together, apart;
  for (std::size_t x = 0; x < labels.size(); ++x) {
    for (std::size_t y = x + 1; y < labels.size(); ++y) {
      const std::size_t a = labels[x], b = labels[y];
      const auto since = seen.since(a, b);
      const double both = seen.pair(a, b), expected = since.single[a] * since.single[b] / since.samples;
      if (std::max(both, expected) < support) continue;
      const double information = std::log(std::max(both, std::numeric_limits<double>::denorm_min()) / expected);
      (information > 0 ? together : apart).push_back({a, b, both, expected, information});
    }
  }
  return {first(std::move(together), count, std::greater<>()), first(std::move(apart), count, std::less<>())};
}

std::vector<std::size_t> likeliest(const adapt::Cooccurrence& seen, std::size_t count) {
  std::vector<std::size_t> order(seen.labels());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [m = seen.single()](std::size_t a, std::size_t b) { return m[a] > m[b]; });
  order.resize(std::min(count, order.size()));
  return order;
}

double share_of(const adapt::Cooccurrence& seen, std::size_t k) {
  const double n = seen.since(k, k).samples;
  return n > 0 ? seen.single()[k] / n : 0;
}

}  // namespace bcp::cli

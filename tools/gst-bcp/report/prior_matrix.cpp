// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/prior_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bcp::cli::report {
namespace {

// Average linkage: joins the two most similar groups until one is left; returns its members in the order they joined.
// The similarity of two labels is how much more often than by chance they occur together.
std::vector<std::uint16_t> order_by_likeness(const PriorMatrix& matrix) {
  const std::size_t n = matrix.names.size();
  std::vector<double> alike(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double pair = double{matrix.conditional[i * n + j]} * matrix.frequency[i];
      const double scale = std::sqrt(double{matrix.frequency[i]} * matrix.frequency[j]);
      alike[i * n + j] = scale > 0 ? pair / scale : 0;
    }
  std::vector<std::vector<std::uint16_t>> groups(n);
  for (std::size_t i = 0; i < n; ++i) groups[i] = {static_cast<std::uint16_t>(i)};
  for (std::size_t left = n; left > 1; --left) {
    std::size_t a = 0, b = 0;
    double best = -1;
    for (std::size_t i = 0; i < n; ++i) {
      if (groups[i].empty()) continue;
      for (std::size_t j = i + 1; j < n; ++j)
        if (!groups[j].empty() && alike[i * n + j] > best) best = alike[i * n + j], a = i, b = j;
    }
    const auto size_a = static_cast<double>(groups[a].size()), size_b = static_cast<double>(groups[b].size());
    for (std::size_t k = 0; k < n; ++k)
      alike[a * n + k] = alike[k * n + a] = (alike[a * n + k] * size_a + alike[b * n + k] * size_b) / (size_a + size_b);
    groups[a].insert(groups[a].end(), groups[b].begin(), groups[b].end());
    groups[b].clear();
  }
  return n == 0 ? std::vector<std::uint16_t>{} : groups[0];
}

}  // namespace

Prior::Prior(prior::Snapshot snapshot) : snapshot_(std::move(snapshot)) {
  for (std::size_t i = 0; i < snapshot_.labels.size(); ++i) numbers_.emplace(snapshot_.labels[i], i);
}

double Prior::pmi(std::string_view k, std::string_view a) const {
  const auto row = numbers_.find(std::string(a)), column = numbers_.find(std::string(k));
  if (row == numbers_.end() || column == numbers_.end()) return std::numeric_limits<double>::quiet_NaN();
  const adapt::Cooccurrence& seen = snapshot_.seen;
  const double both = seen.pair(column->second, row->second);
  const auto [samples, mass] = seen.since(column->second, row->second);
  const double by_chance = mass[column->second] * mass[row->second] / samples;
  return both > 0 && by_chance > 0 ? std::log(both / by_chance) : std::numeric_limits<double>::quiet_NaN();
}

PriorMatrix Prior::matrix(const std::vector<std::string>& wanted, std::size_t limit) const {
  const adapt::Cooccurrence& seen = snapshot_.seen;
  const auto mass = seen.single();
  std::vector<bool> is_wanted(mass.size(), false);
  for (const std::string& name : wanted)
    if (const auto label = numbers_.find(name); label != numbers_.end()) is_wanted[label->second] = true;
  std::vector<std::size_t> order(mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_mass = [&](std::size_t i, std::size_t j) { return mass[i] > mass[j]; };
  std::stable_sort(order.begin(), order.end(), by_mass);
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return is_wanted[i]; });
  order.resize(std::min(limit, order.size()));
  std::stable_sort(order.begin(), order.end(), by_mass);

  PriorMatrix matrix;
  const std::size_t n = order.size();
  matrix.conditional.assign(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    matrix.names.push_back(snapshot_.labels[order[a]]);
    const double samples = std::max(seen.since(order[a], order[a]).samples, std::numeric_limits<double>::min());
    matrix.frequency.push_back(static_cast<float>(mass[order[a]] / samples));
    for (std::size_t k = 0; k < n; ++k) {
      const double anchor = seen.since(order[k], order[a]).single[order[a]];
      if (k != a && anchor > 0)
        matrix.conditional[a * n + k] = static_cast<float>(seen.pair(order[k], order[a]) / anchor);
    }
  }
  matrix.likeness = order_by_likeness(matrix);
  return matrix;
}

}  // namespace bcp::cli::report

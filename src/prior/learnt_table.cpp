// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/learnt_table.hpp"

#include <algorithm>
#include <numeric>

#include "prior/learnt.hpp"

namespace bcp::prior {

LearntTable Learnt::table(std::size_t most) const {
  LearntTable table;
  std::vector<double> mass;
  {
    const std::lock_guard lock(mutex_);
    const auto single = bcp_.seen().single();
    mass.assign(single.begin(), single.end());
    table.samples = bcp_.seen().samples();
  }
  std::vector<std::size_t> order(mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t n = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](std::size_t i, std::size_t j) { return mass[i] != mass[j] ? mass[i] > mass[j] : i < j; });
  table.frequency.assign(n, 0);
  table.conditional.assign(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) table.labels.push_back(labels_[order[a]]);
  const std::lock_guard lock(mutex_);
  const adapt::Cooccurrence& seen = bcp_.seen();
  for (std::size_t a = 0; a < n; ++a) {
    const double samples = seen.since(order[a], order[a]).samples;
    if (samples > 0) table.frequency[a] = seen.since(order[a], order[a]).single[order[a]] / samples;
    for (std::size_t k = 0; k < n; ++k) {
      const double anchor = seen.since(order[k], order[a]).single[order[a]];
      if (k != a && anchor > 0) table.conditional[a * n + k] = seen.pair(order[k], order[a]) / anchor;
    }
  }
  return table;
}

}  // namespace bcp::prior

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/true_cooccurrence.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace bcp::eval {

adapt::Cooccurrence true_cooccurrence(const Truth& truth) {
  adapt::Cooccurrence::Parts parts;
  parts.dense = truth.labels <= adapt::kDenseLabels;
  parts.came.assign(truth.labels, 0);
  adapt::Cooccurrence::Era& all = parts.eras[0];
  all.samples = static_cast<double>(truth.samples);
  all.single.assign(truth.labels, 0);
  if (!parts.dense) all.faint.assign(truth.labels, 0);  // nothing is faint: labels are present or absent

  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;  // first <= second
  std::vector<std::uint32_t> there;
  for (std::size_t t = 0; t < truth.samples; ++t) {
    there.clear();
    for (std::size_t k = 0; k < truth.labels; ++k)
      if (truth.at(t, k) == 1) there.push_back(static_cast<std::uint32_t>(k));
    for (std::size_t i = 0; i < there.size(); ++i) {
      all.single[there[i]] += 1;
      for (std::size_t j = i; j < there.size(); ++j) pairs[{there[i], there[j]}] += 1;
    }
  }
  if (parts.dense) parts.triangle.assign(truth.labels * (truth.labels + 1) / 2, 0);
  for (const auto& [labels, count] : pairs) {
    const auto [first, second] = labels;
    if (parts.dense) {
      parts.triangle[std::size_t{second} * (second + 1) / 2 + first] = count;
    } else {
      parts.stored.push_back({first, second, count});
    }
  }
  return adapt::Cooccurrence(std::move(parts));
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/groups.hpp"

#include <algorithm>
#include <numeric>

namespace bcp::eval {

std::vector<std::size_t> positives(const Truth& truth) {
  std::vector<std::size_t> counts(truth.labels);
  for (std::size_t t = 0; t < truth.samples; ++t)
    for (std::size_t k = 0; k < truth.labels; ++k) counts[k] += truth.at(t, k) == 1 ? 1 : 0;
  return counts;
}

std::vector<int> rarest_labels(const Truth& truth) {
  const std::vector<std::size_t> counts = positives(truth);
  std::vector<int> rarest(truth.samples, -1);
  for (std::size_t t = 0; t < truth.samples; ++t) {
    for (std::size_t k = 0; k < truth.labels; ++k) {
      if (truth.at(t, k) != 1) continue;
      if (rarest[t] < 0 || counts[k] < counts[static_cast<std::size_t>(rarest[t])]) rarest[t] = static_cast<int>(k);
    }
  }
  return rarest;
}

std::vector<std::optional<std::size_t>> label_counts(const Truth& truth) {
  std::vector<std::optional<std::size_t>> buckets(truth.samples);
  for (std::size_t t = 0; t < truth.samples; ++t) {
    std::size_t labels = 0;
    for (std::size_t k = 0; k < truth.labels; ++k) labels += truth.at(t, k) == 1 ? 1 : 0;
    for (std::size_t b = 0; b < kLabelCounts.size(); ++b)
      if (labels >= kLabelCounts[b].least && labels <= kLabelCounts[b].most) buckets[t] = b;
  }
  return buckets;
}

std::array<std::vector<std::size_t>, 3> frequency_groups(const Truth& truth) {
  const std::vector<std::size_t> counts = positives(truth);
  std::vector<std::size_t> labels(truth.labels);
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  std::stable_sort(labels.begin(), labels.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::array<std::vector<std::size_t>, 3> groups;
  auto next = labels.begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto size = static_cast<std::ptrdiff_t>(labels.size() / 3 + (g < labels.size() % 3 ? 1 : 0));
    groups[g].assign(next, next + size);
    next += size;
  }
  return groups;
}

}  // namespace bcp::eval

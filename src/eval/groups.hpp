// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Groups of samples and labels, by the ground truth.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "eval/stream.hpp"

namespace bcp::eval {

// The number of samples of each label.
std::vector<std::size_t> positives(const Truth& truth);

// The rarest label of each sample, the first of equals; -1 for a sample without labels.
std::vector<int> rarest_labels(const Truth& truth);

// The paper's buckets of samples by the number of their labels.
struct LabelCount {
  const char* name;
  std::size_t least, most;
};
inline constexpr std::array<LabelCount, 4> kLabelCounts = {
    {{"1-2", 1, 2}, {"3-4", 3, 4}, {"5-7", 5, 7}, {"8+", 8, static_cast<std::size_t>(-1)}}};
// An index into these for each sample; empty for a sample without labels.
std::vector<std::optional<std::size_t>> label_counts(const Truth& truth);

// Labels from the most frequent to the rarest, in three nearly equal parts, larger ones first: head, medium and tail.
// Labels of equal frequency keep their order.
std::array<std::vector<std::size_t>, 3> frequency_groups(const Truth& truth);

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Samples and labels in groups, by what is true of them.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "eval/stream.hpp"

namespace bcp::eval {

// How many samples each label is in.
std::vector<std::size_t> positives(const Truth& truth);

// Of each sample the label that is in the fewest samples, the first of equals; -1 for a sample without labels.
std::vector<int> rarest_labels(const Truth& truth);

// The paper's buckets of samples by the number of their labels.
struct LabelCount {
  const char* name;
  std::size_t least, most;
};
inline constexpr std::array<LabelCount, 4> kLabelCounts = {
    {{"1-2", 1, 2}, {"3-4", 3, 4}, {"5-7", 5, 7}, {"8+", 8, static_cast<std::size_t>(-1)}}};
// An index into these for each sample; none for a sample without labels.
std::vector<std::optional<std::size_t>> label_counts(const Truth& truth);

// Labels from the most frequent to the rarest, cut into three parts as even as can be, larger parts first: head, medium
// and tail. Labels of one frequency keep their order.
std::array<std::vector<std::size_t>, 3> frequency_groups(const Truth& truth);

}  // namespace bcp::eval

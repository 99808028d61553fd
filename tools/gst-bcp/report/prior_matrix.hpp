// SPDX-License-Identifier: LGPL-2.1-or-later
// What was learnt, as the paper's heat map: P(k|a), how likely label k is in a frame whose anchor is a.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "prior/snapshot.hpp"

namespace bcp::cli::report {

// A part of the prior that a page can show.
struct PriorMatrix {
  std::vector<std::string> names;       // most frequent first
  std::vector<float> frequency;         // P(k)
  std::vector<float> conditional;       // P(k|a) at a * names.size() + k; the diagonal is 0
  std::vector<std::uint16_t> likeness;  // the labels in an order that puts similar ones next to each other
};

// The statistics of the snapshot, by the names of labels.
class Prior {
 public:
  explicit Prior(prior::Snapshot snapshot);

  const prior::Snapshot& snapshot() const { return snapshot_; }

  // log(P(k|a) / P(k)) from the counts, without shrinkage. NaN without data.
  double pmi(std::string_view k, std::string_view a) const;

  // The labels named in `wanted` first, then the most frequent ones, at most `limit`.
  PriorMatrix matrix(const std::vector<std::string>& wanted, std::size_t limit) const;

 private:
  prior::Snapshot snapshot_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace bcp::cli::report

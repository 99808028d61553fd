// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Counts labels over labelled pictures: alone and together, for a prior table.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "decide/prior_table.hpp"

namespace bcp::decide {

class TableCounter {
 public:
  // Adds one picture. A repeated label counts once; a picture without labels also counts.
  void add(std::span<const std::string> labels);

  std::size_t pictures() const { return pictures_; }
  std::size_t labels() const { return labels_.size(); }

  // The counts of the labels that occur in `min_count` pictures or more; most frequent first, then by name.
  // `source` is left empty.
  PriorTable::Counts counts(std::size_t min_count) const;

 private:
  std::size_t pictures_ = 0;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<std::string> labels_;
  std::vector<std::size_t> count_;
  std::unordered_map<std::uint64_t, std::size_t> together_;  // by both indices, the smaller one in the upper half
  std::vector<std::uint32_t> shown_;                         // scratch: the labels of one picture
};

}  // namespace bcp::decide

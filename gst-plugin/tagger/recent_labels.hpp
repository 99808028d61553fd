// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels that were shown in the last hour, at most a hundred, with their newest probabilities: for `stats` and the
// metrics.
//
// A result costs as much as it shows labels, plus one look at each label that is kept; labels that were not shown cost
// nothing. Thread safety: none; a part of the Statistics, which are Guarded.

#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/owners.hpp"

namespace bcp::tagger {

class RecentLabels {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 100;
  static constexpr std::chrono::hours kAge{1};

  // The newest result, of a whole frame, and the places of the labels that it shows. Of more than kMost, the likeliest
  // are kept; else those that were shown last. A result with another list of labels clears what was kept.
  void update(const GstBcpResult* result, std::span<const std::uint32_t> shown, Clock::time_point now);
  // No label is shown any more: the stream has ended.
  void end() { ++result_; }

  // An array of structures (name, shown, probability) in the order of the names, of labels no older than kAge. `value`
  // is initialised here.
  void to_array(GValue& value, Clock::time_point now) const;

 private:
  struct Entry {
    std::uint32_t label;     // its place in names_
    double probability;      // in the newest result
    std::uint64_t result;    // the number of the last result that showed it
    Clock::time_point last;  // when that was
  };
  void show(std::uint32_t label, Clock::time_point now);

  std::shared_ptr<GstBcpLabels> names_;
  std::vector<Entry> entries_;  // by label
  std::uint64_t result_ = 0;    // the number of the newest
};

}  // namespace bcp::tagger

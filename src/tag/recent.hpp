// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Data for feedback on an earlier frame: its embedding, from which scores for any label list can be computed again, and
// the shown labels.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bcp::tag {

class Recent {
 public:
  static constexpr std::size_t kMost = 600;  // results

  struct Entry {
    std::uint64_t pts = 0;
    std::vector<float> embedding;
    std::vector<std::string> shown;
  };

  // The entry for the next result; once there are kMost, the oldest one with its memory.
  Entry& add();
  // The newest entry with this time, or null.
  const Entry* find(std::uint64_t pts) const;
  const Entry* newest() const { return size() == 0 ? nullptr : &entries_[last_]; }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
  std::size_t last_ = 0;  // the newest
};

}  // namespace bcp::tag

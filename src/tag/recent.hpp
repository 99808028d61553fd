// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is needed to take feedback on a frame that is past: its embedding, from which all else can be computed again
// for any list of labels, and what was shown.
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

  // The entry to fill for the next result: the oldest one, with its memory, once there are kMost.
  Entry& add();
  // Null if no entry has this time. The newest, if several have it.
  const Entry* find(std::uint64_t pts) const;
  const Entry* newest() const { return size() == 0 ? nullptr : &entries_[last_]; }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
  std::size_t last_ = 0;  // the newest
};

}  // namespace bcp::tag

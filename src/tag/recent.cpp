// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/recent.hpp"

namespace bcp::tag {

Recent::Entry& Recent::add() {
  if (entries_.size() < kMost) {
    last_ = entries_.size();
    return entries_.emplace_back();
  }
  last_ = (last_ + 1) % kMost;
  return entries_[last_];
}

const Recent::Entry* Recent::find(std::uint64_t pts) const {
  for (std::size_t back = 0; back < entries_.size(); ++back) {
    const Entry& entry = entries_[(last_ + entries_.size() - back) % entries_.size()];
    if (entry.pts == pts) return &entry;
  }
  return nullptr;
}

}  // namespace bcp::tag

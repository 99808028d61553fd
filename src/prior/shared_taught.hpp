// SPDX-License-Identifier: LGPL-2.1-or-later
//
// People's corrections (decide/taught.hpp), shared by all streams of a group. They do not belong to a label list: they
// are stored by name.
//
// Thread safety: any thread. The lock is a leaf.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "decide/taught.hpp"

namespace bcp::prior {

class SharedTaught {
 public:
  // Increases with every change, so that a stream copies only then.
  unsigned version() const { return version_; }

  decide::Taught copy() const {
    const std::lock_guard lock(mutex_);
    return taught_;
  }
  std::uint64_t statements() const {
    const std::lock_guard lock(mutex_);
    return taught_.statements();
  }
  template <typename Change>
  void change(Change&& with) {
    const std::lock_guard lock(mutex_);
    std::forward<Change>(with)(taught_);
    ++version_;
  }

 private:
  std::atomic<unsigned> version_ = 0;
  mutable std::mutex mutex_;
  decide::Taught taught_;
};

}  // namespace bcp::prior

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// People's corrections (decide/taught.hpp), shared by all streams of a group. They do not belong to a label list: they
// are stored by name. Those received from other machines (fleet/) are kept apart from the own ones: only
// the own ones are saved and sent.
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
  // Increases with every change of the own ones.
  unsigned own_version() const { return own_version_; }

  // The own ones.
  decide::Taught copy() const {
    const std::lock_guard lock(mutex_);
    return taught_;
  }
  // The own ones and those of other machines: what frames use.
  decide::Taught sum() const {
    const std::lock_guard lock(mutex_);
    decide::Taught all = taught_;
    if (!others_.empty()) all.add(others_);
    return all;
  }
  std::uint64_t statements() const {
    const std::lock_guard lock(mutex_);
    return taught_.statements() + others_.statements();
  }
  template <typename Change>
  void change(Change&& with) {
    const std::lock_guard lock(mutex_);
    std::forward<Change>(with)(taught_);
    ++version_;
    ++own_version_;
  }
  void set_others(decide::Taught others) {
    const std::lock_guard lock(mutex_);
    if (others == others_) return;
    others_ = std::move(others);
    ++version_;
  }

 private:
  std::atomic<unsigned> version_ = 0, own_version_ = 0;
  mutable std::mutex mutex_;
  decide::Taught taught_, others_;
};

}  // namespace bcp::prior

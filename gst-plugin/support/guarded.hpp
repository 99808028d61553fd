// SPDX-License-Identifier: LGPL-2.1-or-later
// A value and the lock around it, in one: the value cannot be reached without the lock.
//
// A leaf lock by rule: inside with() nothing is posted, pushed or loaded, and no other lock is taken.

#pragma once

#include <mutex>
#include <utility>

namespace bcp::gst {

template <typename T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  T copy() const {
    std::lock_guard lock(mutex_);
    return value_;
  }

  // fn(T&) under the lock; returns what it returns. Return values, never references into the value.
  template <typename Fn>
  auto with(Fn&& fn) {
    std::lock_guard lock(mutex_);
    return std::forward<Fn>(fn)(value_);
  }
  template <typename Fn>
  auto with(Fn&& fn) const {
    std::lock_guard lock(mutex_);
    return std::forward<Fn>(fn)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace bcp::gst

// SPDX-License-Identifier: LGPL-2.1-or-later
// A value with its mutex: the value can be accessed only while the mutex is held.
//
// It must be the innermost lock: inside with(), post, push and load nothing, and take no other lock.

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

  // Returns fn(T&), called with the lock held. fn must not return a reference into the value.
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

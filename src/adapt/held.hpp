// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether statistics are held, so that another thread can copy them. It is not copied with them: a copy is not held.

#pragma once

namespace bcp::adapt {

class Held {
 public:
  Held() = default;
  Held(const Held&) {}
  // The statistics that are assigned to stay held, or not.
  Held& operator=(const Held&) { return *this; }  // NOLINT(cert-oop54-cpp): nothing is assigned
  ~Held() = default;

  void set(bool held) { held_ = held; }
  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
};

}  // namespace bcp::adapt

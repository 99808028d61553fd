// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Milliseconds since a time point, or since the last lap.

#pragma once

#include <chrono>
#include <utility>

namespace bcp::tagger {

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bcp::tagger

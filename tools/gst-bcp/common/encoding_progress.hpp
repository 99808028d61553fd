// SPDX-License-Identifier: LGPL-2.1-or-later
// Progress of encoding pictures, on standard error: how many, how fast, and the time left. A bar on a terminal,
// elsewhere a line every ten seconds.

#pragma once

#include <chrono>
#include <cstddef>

#include "gst-bcp/common/progress.hpp"

namespace bcp::cli {

class EncodingProgress {
 public:
  // The number of pictures, and how many of them need not be encoded.
  EncodingProgress(std::size_t total, std::size_t known);

  // This many more are encoded.
  void done(std::size_t pictures);

 private:
  using Clock = std::chrono::steady_clock;

  const Progress::Style style_;
  Progress progress_;
  const std::size_t total_, known_;
  std::size_t encoded_ = 0;
  const Clock::time_point begun_;
  Clock::time_point shown_;
};

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// Shows what a Watch knows: a bar for each file on a terminal, lines elsewhere. Belongs to the main thread.

#pragma once

#include "gst-bcp/common/progress.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

class Display {
 public:
  explicit Display(bool quiet);
  // Call this a few times a second, and once at the end.
  void update(Watch& watch);

 private:
  const Progress::Style style_;
  Progress progress_;
};

}  // namespace bcp::cli::get

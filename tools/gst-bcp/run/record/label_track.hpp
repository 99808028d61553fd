// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels of one camera over time, written beside the files of its recording.
//
// Results come later than the pictures they are about: a file may be complete already, or may begin, after an event,
// with pictures whose results are old. One thread at a time.

#pragma once

#include <gst/gst.h>

#include <deque>
#include <memory>
#include <string>

#include "gst-bcp/run/record/label_files.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

class LabelTrack {
 public:
  // Writes what is left.
  ~LabelTrack();
  LabelTrack() = default;
  LabelTrack(const LabelTrack&) = delete;
  LabelTrack& operator=(const LabelTrack&) = delete;

  // A result for the picture at this running time. `oldest`: a file may still begin with the picture at that time.
  void add(gst::BcpResultPtr result, GstClockTime time, GstClockTime oldest);
  // A file begins with the picture at `start`, with its labels and all that are known of later pictures. `stem`: its
  // path without the extension.
  void begin(const std::string& stem, WallTime wall, GstClockTime start);
  // The file that began last is complete; its last picture is at `end`. Results for it may still come.
  void end(GstClockTime end);
  // The file that began last is removed.
  void drop();
  // Another stream follows, whose pictures have nothing to do with the results so far.
  void forget() { recent_.clear(); }

 private:
  struct Labels {
    gst::BcpResultPtr result;
    GstClockTime time;
  };
  struct Beside {
    GstClockTime start, end;  // NONE: not ended
    std::unique_ptr<LabelFiles> files;
  };
  void close_oldest();

  std::deque<Labels> recent_;  // from the newest before `oldest` on
  std::deque<Beside> beside_;
};

}  // namespace bcp::cli::run

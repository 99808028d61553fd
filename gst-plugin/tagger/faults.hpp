// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Faults of a running tagger: every fault is counted, and the first of each kind is posted on the bus as a warning. No
// fault stops the video.
//
// Thread safety: any thread, with no lock held.

#pragma once

#include <gst/gst.h>

#include <set>

#include "base/result.hpp"
#include "support/bus.hpp"
#include "support/guarded.hpp"
#include "tagger/statistics.hpp"

namespace bcp::tagger {

enum class Fault { kFormat, kFrame, kInference, kScores, kLabels };

class Faults {
 public:
  // REQUIRES: both outlive this.
  Faults(GstElement* element, gst::Guarded<Statistics>& statistics) : element_(element), statistics_(statistics) {}

  void report(Fault kind, const Error& error) {
    statistics_.with([](Statistics& s) { ++s.faults; });
    if (reported_.with([&](auto& reported) { return reported.insert(kind).second; }))
      gst::post_warning(element_, error);
  }
  // The next fault of this kind is posted again, because its cause may be a different one.
  void forget(Fault kind) {
    reported_.with([&](auto& reported) { reported.erase(kind); });
  }

 private:
  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  gst::Guarded<std::set<Fault>> reported_;
};

}  // namespace bcp::tagger

// SPDX-License-Identifier: LGPL-2.1-or-later
// What a gate has done since start: the numbers behind its `stats` and `open` properties.
//
// Thread safety: none; the element keeps it Guarded.

#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <string>

namespace bcp::gate {

struct Statistics {
  std::uint64_t passed = 0;      // buffers
  std::uint64_t dropped = 0;     // buffers; those held for the pre-roll are not among them
  std::uint64_t unlabelled = 0;  // buffers that came without a result of the whole frame
  std::uint64_t openings = 0;
  std::uint64_t held = 0;        // buffers, now
  std::uint64_t held_bytes = 0;  // now
  GstClockTime open_time = 0;    // of the stream's running time
  bool open = false;
  std::string condition;  // in force

  // The caller owns it.
  GstStructure* to_structure() const {
    return gst_structure_new("bcp-gate-stats", "passed", G_TYPE_UINT64, passed, "dropped", G_TYPE_UINT64, dropped,
                             "unlabelled", G_TYPE_UINT64, unlabelled, "openings", G_TYPE_UINT64, openings,
                             "seconds-open", G_TYPE_DOUBLE, static_cast<double>(open_time) / GST_SECOND, "open",
                             G_TYPE_BOOLEAN, static_cast<gboolean>(open), "held", G_TYPE_UINT64, held, "held-bytes",
                             G_TYPE_UINT64, held_bytes, "condition", G_TYPE_STRING, condition.c_str(), nullptr);
  }
};

}  // namespace bcp::gate

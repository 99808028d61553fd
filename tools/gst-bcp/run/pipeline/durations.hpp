// SPDX-License-Identifier: LGPL-2.1-or-later
// Durations for the frames of a video whose frame rate varies.

#pragma once

#include <gst/gst.h>

namespace bcp::cli::run {

// Gives encoded frames that reach `muxer` without a usable duration the time since the frame before them. An MP4 ends
// where its last frame does, and players skip a frame of no duration. Call before the pipeline plays.
void fill_durations(GstElement* muxer);

}  // namespace bcp::cli::run

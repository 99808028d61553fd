// SPDX-License-Identifier: LGPL-2.1-or-later
// Animated GIFs as videos with an end.
//
// GStreamer's libav plugin (1.22) decodes the frames of a GIF but gives all of them the time 0, and its demuxer reads
// for ever after the last one.

#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace bcp::cli::run {

// How long each frame of a GIF is shown, as browsers do it; empty where the file is not a GIF or has no whole frame.
std::vector<GstClockTime> gif_durations(const std::string& path);

// Gives the frames that pass the element kVideoInlet of `pipeline` their times, and ends the stream after the last one:
// the animation is played once. Call before the pipeline plays.
void play_gif_once(GstElement* pipeline, std::vector<GstClockTime> durations);

}  // namespace bcp::cli::run

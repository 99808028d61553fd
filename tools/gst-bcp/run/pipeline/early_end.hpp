// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of a stream, earlier than its own.

#pragma once

#include <gst/gst.h>

namespace bcp::cli::run {

// Ends the streams of a pipeline (recipe.hpp) where they come out of the decoders: what is inside those is not waited
// for, and sound later than `last`, a stream time, is dropped, as it runs ahead of the pictures. Returns at once; EOS
// follows on the bus.
void end_early(GstElement* pipeline, GstClockTime last);

}  // namespace bcp::cli::run

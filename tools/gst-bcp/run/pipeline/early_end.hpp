// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends a stream before its own end.

#pragma once

#include <gst/gst.h>

namespace bcp::cli::run {

// Ends the streams of a pipeline (recipe.hpp) behind the decoders, without waiting for what the decoders still hold.
// Sound later than `last`, a stream time, is dropped, because sound runs ahead of the pictures. Returns at once; EOS
// follows on the bus.
void end_early(GstElement* pipeline, GstClockTime last);

}  // namespace bcp::cli::run

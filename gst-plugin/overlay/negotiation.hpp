// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Chooses whether to blend into the pixels or to attach a GstVideoOverlayComposition, which the sink draws.
//
// Attaching costs nothing and works in any memory (GL, CUDA, VA). But a sink that accepts any caps, such as appsink,
// also accepts the caps feature and never draws the overlay. So the feature is used only if the answer to the
// ALLOCATION query contains the meta.

#pragma once

#include <gst/gst.h>

namespace bcp::overlay {

bool has_overlay_feature(const GstCaps* caps);
// Whether frames are in system memory, so that the CPU can draw into them.
bool in_system_memory(const GstCaps* caps);

// The caps of the other pad for `caps` of the pad `from`. The element may add the feature, but never removes it;
// outside system memory the feature is required. (transfer full)
GstCaps* transform_caps(GstPadDirection from, GstCaps* caps);

// Chooses one of `choices` (transfer full), the output caps that downstream accepts for `in`. Streaming thread: it may
// send CAPS events and ALLOCATION queries downstream. Returns fixed caps (transfer full).
GstCaps* choose_caps(GstPad* src, GstCaps* in, GstCaps* choices);

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether to draw into the pixels or beside them.
//
// Beside them, as a GstVideoOverlayComposition that the sink draws, costs nothing and works in any memory (GL, CUDA,
// VA). But a sink that takes any caps, such as appsink, would take the feature in them too and never draw it; so the
// feature is used only where the ALLOCATION query says that the meta is understood.

#pragma once

#include <gst/gst.h>

namespace bcp::overlay {

bool has_overlay_feature(const GstCaps* caps);
// Whether frames are in memory the CPU draws into.
bool in_system_memory(const GstCaps* caps);

// What can come out for what comes in, and the other way round: the feature may be added on the way, never taken off;
// in other memory than the system's it must be there. (transfer full)
GstCaps* transform_caps(GstPadDirection from, GstCaps* caps);

// Chooses among `choices` (transfer full), which downstream would take for `in`. Streaming thread: it may send CAPS and
// ALLOCATION queries downstream. Fixed caps (transfer full).
GstCaps* choose_caps(GstPad* src, GstCaps* in, GstCaps* choices);

}  // namespace bcp::overlay

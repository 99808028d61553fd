// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads GstAnalytics metadata of other elements: classifications of whole frames, and boxes of detected objects.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <vector>

#include "image/picture.hpp"
#include "overlay/panel_text.hpp"

namespace bcp::overlay {

// The classifications of `buffer` that are not of a detected object; empty without GStreamer 1.24.
std::vector<Classified> frame_classifications(GstBuffer* buffer);

// The box of the detected object with this id; it may extend beyond the frame. nullopt without GStreamer 1.24.
std::optional<image::Rect> object_box(GstBuffer* buffer, int id);

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What others have written as GstAnalytics metadata: classifications of whole frames, and places of detected objects.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <vector>

#include "image/picture.hpp"
#include "overlay/panel_text.hpp"

namespace bcp::overlay {

// The classifications of `buffer` that belong to no detected object; empty without GStreamer 1.24.
std::vector<Classified> frame_classifications(GstBuffer* buffer);

// Where the detected object of this id is; it may hang over the frame. None without GStreamer 1.24.
std::optional<image::Rect> object_box(GstBuffer* buffer, int id);

}  // namespace bcp::overlay

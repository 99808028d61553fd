// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Classifications of whole frames that others have written as GstAnalytics metadata.

#pragma once

#include <gst/gst.h>

#include <vector>

#include "overlay/panel_text.hpp"

namespace bcp::overlay {

// The classifications of `buffer` that belong to no detected object; empty without GStreamer 1.24.
std::vector<Classified> frame_classifications(GstBuffer* buffer);

}  // namespace bcp::overlay

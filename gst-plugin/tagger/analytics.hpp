// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels shown, as stock GStreamer elements understand them: one classification of GstAnalytics on the buffer.
// That of a region is contained in, and related to, the object of its id. A region that is no detected object gets
// none: by itself it would pass for one of the whole frame. Does nothing when built without GstAnalytics (GStreamer
// before 1.24).

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

namespace bcp::tagger {

// REQUIRES: the buffer is writable.
void add_classification(GstBuffer* buffer, const GstBcpResult* result);

}  // namespace bcp::tagger

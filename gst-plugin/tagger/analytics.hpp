// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The shown labels as a GstAnalytics classification on the buffer, which standard GStreamer elements can read. The
// classification of a region is related to ("contained in") the detected object with the same id. A region without
// such an object gets no classification: it would look like one of the whole frame. Does nothing when built without
// GstAnalytics (GStreamer before 1.24).

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

namespace bcp::tagger {

// REQUIRES: the buffer is writable.
void add_classification(GstBuffer* buffer, const GstBcpResult* result);

}  // namespace bcp::tagger

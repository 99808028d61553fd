// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The regions of a frame that elements in front have marked: GstVideoRegionOfInterestMeta and, from GStreamer 1.24 on,
// object detections of GstAnalytics.

#pragma once

#include <gst/gst.h>

#include <vector>

#include "image/picture.hpp"

namespace bcp::tagger {

struct Region {
  int id;           // that its result carries
  image::Rect box;  // in pixels of the buffer, before cropping and turning; may hang over its edges

  bool operator==(const Region&) const = default;
};

// The regions of interest, then the detected objects, each in the order they were attached. An object that is also a
// region of interest, by id and place, comes once: some detectors write both.
//
// A result finds its region by the id. Many elements leave that of a region of interest at 0, so one that is negative
// or taken is replaced, on the buffer too, by the least that is free. Detected objects keep theirs. REQUIRES: the
// buffer is writable.
std::vector<Region> number_regions(GstBuffer* buffer);

}  // namespace bcp::tagger

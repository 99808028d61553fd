// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The regions of a frame that upstream elements have marked: GstVideoRegionOfInterestMeta and, from GStreamer 1.24 on,
// object detections of GstAnalytics.

#pragma once

#include <gst/gst.h>

#include <vector>

#include "image/picture.hpp"

namespace bcp::tagger {

struct Region {
  int id;           // also in its result
  image::Rect box;  // in pixels of the buffer, before cropping and rotation; may extend beyond the frame

  bool operator==(const Region&) const = default;
};

// The regions of interest, then the detected objects, each in the order they were attached. An object with the id and
// the box of a region of interest is listed once: some detectors write both.
//
// A result refers to its region by id. Many elements leave the id of a region of interest at 0, so an id that is
// negative or already used is replaced, also on the buffer, by the smallest free one. Detected objects keep their ids.
// REQUIRES: the buffer is writable.
std::vector<Region> number_regions(GstBuffer* buffer);

}  // namespace bcp::tagger

// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels shown on a buffer.

#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace bcp::gst {

struct LabelShown {
  std::string name;
  double probability = 0;
};

// The labels that the whole-frame results on `buffer` show, most likely first. A label in several results is listed
// once, with its highest probability. Results of regions are ignored, because regions appear and disappear with the
// detector.
std::vector<LabelShown> labels_shown(GstBuffer* buffer);

}  // namespace bcp::gst

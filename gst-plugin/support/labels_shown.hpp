// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels a buffer shows.

#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace bcp::gst {

struct LabelShown {
  std::string name;
  double probability = 0;
};

// The labels of the whole frame that the results on `buffer` show, each once, likeliest first; of a label that several
// results show, the likeliest. What only a region shows is not among them: regions come and go with what marks them.
std::vector<LabelShown> labels_shown(GstBuffer* buffer);

}  // namespace bcp::gst

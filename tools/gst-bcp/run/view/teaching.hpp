// SPDX-License-Identifier: LGPL-2.1-or-later
// The signals of bcptagger about what was learnt. They may wait for a frame that is being scored: not on the main
// thread.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "support/owners.hpp"

namespace bcp::cli::view {

// A reference to it.
inline std::shared_ptr<GstElement> shared_element(GstElement* element) {
  return {GST_ELEMENT(gst_object_ref(element)), gst::Unref()};
}

struct Taught {
  bool done = false;
  double shift = 0;  // what was added to the log odds of the label
};
// The label is in the frame, or not. `pts`: that of the scored frame, or GST_CLOCK_TIME_NONE for the newest.
Taught teach(GstElement* tagger, const std::string& label, bool present, GstClockTime pts);

// What was learnt about the `most` labels seen most; null: it has stopped.
nlohmann::json read_learnt(GstElement* tagger, unsigned most);

}  // namespace bcp::cli::view

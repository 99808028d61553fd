// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers in an element's `stats` property.

#pragma once

#include <gst/gst.h>

#include <string>

#include "work.hpp"

namespace bench {

inline double stat(GstElement* element, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  gdouble value = 0;
  guint64 count = 0;
  const bool whole = gst_structure_get_uint64(stats, name, &count);
  const bool found = whole || gst_structure_get_double(stats, name, &value);
  gst_structure_free(stats);
  require(found, std::string("stats has no number ") + name);
  return whole ? static_cast<double>(count) : value;
}

}  // namespace bench

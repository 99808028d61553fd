// SPDX-License-Identifier: LGPL-2.1-or-later
// What the user chose about a bcpgate: the values behind its properties. All are read at each buffer.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::gate {

struct Settings {
  std::string condition = "any";
  GstClockTime pre_roll = 0;
  GstClockTime post_roll = 0;
  guint64 max_bytes = 256 * 1024 * 1024;  // held for the pre-roll; 0: no limit
  guint max_buffers = 10'000;             // held for the pre-roll; 0: no limit
  bool send_gaps = true;
};

}  // namespace bcp::gate

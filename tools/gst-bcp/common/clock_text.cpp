// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/clock_text.hpp"

#include <array>
#include <cstdio>

namespace bcp::cli {

std::string clock_text(GstClockTime time, bool tenths) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return "-";
  const guint64 seconds = time / GST_SECOND;
  std::array<char, 48> text{};
  if (seconds >= 3600)
    std::snprintf(text.data(), text.size(), "%u:%02u:%02u", static_cast<unsigned>(seconds / 3600),
                  static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60));
  else
    std::snprintf(text.data(), text.size(), "%u:%02u", static_cast<unsigned>(seconds / 60),
                  static_cast<unsigned>(seconds % 60));
  std::string shown = text.data();
  if (tenths) shown.append(1, '.').append(std::to_string(time % GST_SECOND / (100 * GST_MSECOND)));
  return shown;
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of JSON texts that are written by hand, because their numbers have a fixed form.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::mqtt {

// A string in quotes, with U+FFFD for bytes that are not UTF-8; null without a string.
void append(std::string& out, const char* string);
// A number; null if it is not finite. The decimal separator is a point in every locale.
void append(std::string& out, double value, int digits = 6);
// A time in seconds with nine decimals; null if it is not valid.
void append_seconds(std::string& out, GstClockTime time);

}  // namespace bcp::mqtt

// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame as a JPEG file, scaled down. Any thread; takes milliseconds, so never on a streaming thread.

#pragma once

#include <gst/gst.h>

#include <string>

#include "base/result.hpp"

namespace bcp::cli::run {

struct JpegShape {
  int longest_side = 640;  // larger pictures are scaled down to it; smaller ones stay as they are
  int quality = 80;        // 1 to 100
};

// The frame must be raw video in memory that can be mapped. Pixels that are not square become square.
Result<std::string> encode_jpeg(GstSample* frame, const JpegShape& shape);

}  // namespace bcp::cli::run

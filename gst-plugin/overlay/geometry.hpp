// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The sizes of what is drawn: all are in ems, and the em depends on the size of the frame.

#pragma once

#include <gst/video/video.h>

#include <algorithm>

namespace bcp::overlay {

// The displayed frame: a pixel is `pixel_aspect` times as wide as high.
struct Geometry {
  int width = 0, height = 0;  // pixels
  double pixel_aspect = 1;

  bool operator==(const Geometry&) const = default;

  static Geometry of(const GstVideoInfo& info) {
    Geometry g{GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info), 1};
    const int n = GST_VIDEO_INFO_PAR_N(&info), d = GST_VIDEO_INFO_PAR_D(&info);
    // Limited, so that an absurd aspect ratio does not make a panel of gigabytes.
    if (n > 0 && d > 0) g.pixel_aspect = std::clamp(static_cast<double>(n) / d, 0.1, 10.0);
    return g;
  }

  // In square units, each as high as a pixel.
  double seen_width() const { return width * pixel_aspect; }
  double seen_height() const { return height; }

  // The size of readable text on this frame. It grows more slowly than the frame: else text would be too small on a
  // small frame, and larger than necessary on a large one.
  double text_size() const {
    constexpr double kSmallest = 9, kBase = 5, kShare = 0.022;
    return std::max(kSmallest, kBase + kShare * std::min(seen_width(), seen_height()));
  }

  // The size for text of `size` pixels on a frame of 1080 lines.
  double text_size(double size) const { return size * text_size() / Geometry{1920, 1080, 1}.text_size(); }
};

}  // namespace bcp::overlay

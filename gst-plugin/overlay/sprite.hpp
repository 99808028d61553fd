// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A picture in the format of the frames that it is blended into. The picture is converted once; blending changes only
// the samples under it, and frames are never converted.
//
// Thread safety: any thread may call blend().

#pragma once

#include <gst/video/video.h>

#include <memory>

#include "overlay/image.hpp"

namespace bcp::overlay {

class Sprite {
 public:
  virtual ~Sprite() = default;

  // Blends the sprite into `frame`, mapped for reading and writing, with its top left corner at (x, y). Clips at the
  // right and the lower edge. REQUIRES: x, y >= 0, multiples of kGrid; the frame has the format of make_sprite().
  virtual void blend(const GstVideoFrame& frame, int x, int y) const = 0;
};

// For frames of `info`; null for an unsupported format (RGB8P, whose palette cannot hold more colours).
std::unique_ptr<Sprite> make_sprite(const Image& image, const GstVideoInfo& info);

// The two kinds. Samples: each component is a whole byte or 16-bit word in memory (almost every format in use). Lines:
// all others, with the format's functions to unpack and pack a line of pixels. Null if the kind does not support the
// format.
std::unique_ptr<Sprite> make_sample_sprite(const Image& image, const GstVideoInfo& info);
std::unique_ptr<Sprite> make_line_sprite(const Image& image, const GstVideoInfo& info);

}  // namespace bcp::overlay

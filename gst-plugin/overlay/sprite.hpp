// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A picture in the format of the frames it is laid over. It is converted once; laying it over a frame touches only the
// samples under it, and no frame is ever converted.
//
// Thread safety: none to make one; a finished sprite may blend from any thread.

#pragma once

#include <gst/video/video.h>

#include <memory>

#include "overlay/image.hpp"

namespace bcp::overlay {

class Sprite {
 public:
  virtual ~Sprite() = default;

  // Lays the sprite over `frame`, mapped for reading and writing, with its corner at (x, y). What hangs over the right
  // or lower edge is left out. REQUIRES: x, y >= 0, multiples of kGrid; the frame's format is the one it was made for.
  virtual void blend(const GstVideoFrame& frame, int x, int y) const = 0;
};

// For frames as `info` has them; null for a format nothing can be drawn into (RGB8P, whose palette has no room).
std::unique_ptr<Sprite> make_sprite(const Image& image, const GstVideoInfo& info);

// The families. Samples: each component is a whole byte or 16-bit word in memory, which is almost every format in use.
// Lines: anything else, through the format's own functions to unpack and pack a line of pixels. Null when the format is
// not of the family.
std::unique_ptr<Sprite> make_sample_sprite(const Image& image, const GstVideoInfo& info);
std::unique_ptr<Sprite> make_line_sprite(const Image& image, const GstVideoInfo& info);

}  // namespace bcp::overlay

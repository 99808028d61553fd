// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A drawn image at its place on the frame, and the two forms it reaches a frame in, each made when first asked for and
// kept as long as the picture is: a sprite to blend, and an overlay rectangle to attach.
//
// Thread safety: none. One instance belongs to one streaming thread.

#pragma once

#include <gst/video/video.h>

#include <memory>

#include "overlay/image.hpp"
#include "overlay/sprite.hpp"

namespace bcp::overlay {

class Picture {
 public:
  explicit Picture(Image image) : image_(std::move(image)) {}

  const Image& image() const { return image_; }
  int x() const { return x_; }
  int y() const { return y_; }

  // To the grid, and into a frame of so many pixels as far as it goes.
  void move(int x, int y, int frame_width, int frame_height);

  // At its place, moved by (dx, dy) on the grid. False when the format cannot be drawn into.
  // REQUIRES: `frame` has the format and colorimetry of the first call; dx, dy >= 0.
  bool blend(const GstVideoFrame& frame, int dx = 0, int dy = 0);

  // Borrowed. The same rectangle, with the same sequence number, until the picture moves: sinks keep what they
  // uploaded.
  GstVideoOverlayRectangle* rectangle(int frame_width, int frame_height);

 private:
  struct Unref {
    void operator()(GstVideoOverlayRectangle* p) const { gst_video_overlay_rectangle_unref(p); }
  };

  Image image_;
  int x_ = 0, y_ = 0;
  std::unique_ptr<Sprite> sprite_;
  std::unique_ptr<GstVideoOverlayRectangle, Unref> rectangle_;
};

}  // namespace bcp::overlay

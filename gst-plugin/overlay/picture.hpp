// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A drawn image with its position on the frame. It is put on a frame as a sprite (blended) or as an overlay rectangle
// (attached); each is created on first use and cached.
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

  // Moves the picture to (x, y), rounded to the grid and, if possible, inside a frame of this size.
  void move(int x, int y, int frame_width, int frame_height);

  // Blends at its position plus (dx, dy), rounded to the grid. False if the format is not supported.
  // REQUIRES: `frame` has the format and colorimetry of the first call; dx, dy >= 0.
  bool blend(const GstVideoFrame& frame, int dx = 0, int dy = 0);

  // Owned by this object. The same rectangle, with the same sequence number, until the picture moves, so that sinks
  // reuse what they have uploaded.
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

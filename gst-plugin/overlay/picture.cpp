// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/picture.hpp"

#include <algorithm>
#include <cstring>

#include "support/owners.hpp"

namespace bcp::overlay {

void Picture::move(int x, int y, int frame_width, int frame_height) {
  const int new_x = grid_down(std::max(0, std::min(x, frame_width - image_.width)));
  const int new_y = grid_down(std::max(0, std::min(y, frame_height - image_.height)));
  if (new_x == x_ && new_y == y_) return;
  x_ = new_x, y_ = new_y;
  rectangle_.reset();
}

bool Picture::blend(const GstVideoFrame& frame, int dx, int dy) {
  if (!sprite_) sprite_ = make_sprite(image_, frame.info);
  if (sprite_) sprite_->blend(frame, x_ + dx, y_ + dy);
  return sprite_ != nullptr;
}

GstVideoOverlayRectangle* Picture::rectangle(int frame_width, int frame_height) {
  if (rectangle_) return rectangle_.get();
  // Cut to the frame, because not every sink clips. Only the padding to the grid can extend beyond the frame.
  const int width = std::min(image_.width, frame_width - x_), height = std::min(image_.height, frame_height - y_);
  if (width <= 0 || height <= 0) return nullptr;
  const std::size_t row = static_cast<std::size_t>(width) * 4;
  const gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, row * static_cast<std::size_t>(height), nullptr));
  GstMapInfo map;
  if (!gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE)) return nullptr;
  for (int y = 0; y < height; ++y) std::memcpy(map.data + static_cast<std::size_t>(y) * row, image_.row(y), row);
  gst_buffer_unmap(buffer.get(), &map);
  gst_buffer_add_video_meta(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
                            static_cast<guint>(width), static_cast<guint>(height));
  rectangle_.reset(gst_video_overlay_rectangle_new_raw(buffer.get(), x_, y_, static_cast<guint>(width),
                                                       static_cast<guint>(height),
                                                       GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA));
  return rectangle_.get();
}

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/sprite.hpp"

#include "overlay/colour_space.hpp"

namespace bcp::overlay {

std::unique_ptr<Sprite> make_sprite(const Image& image, const GstVideoInfo& info) {
  if (needs_toning(info.colorimetry.transfer)) {
    GstVideoInfo plain = info;
    plain.colorimetry.transfer = GST_VIDEO_TRANSFER_SRGB;
    return make_sprite(toned(image, info.colorimetry.transfer), plain);
  }
  if (auto sprite = make_sample_sprite(image, info)) return sprite;
  return make_line_sprite(image, info);
}

}  // namespace bcp::overlay

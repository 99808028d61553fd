// SPDX-License-Identifier: LGPL-2.1-or-later
//
// sRGB in the terms of a frame: its colour matrix, its range, its transfer curve.

#pragma once

#include <gst/video/video.h>

#include <array>

#include "overlay/image.hpp"

namespace bcp::overlay {

// The sample of one component for a premultiplied colour, in the component's own codes:
//   code = red * r + green * g + blue * b + offset * alpha, with r, g, b and alpha in [0, 1].
// Linear, so it holds for premultiplied colours and for averages of them alike.
struct ComponentCode {
  double red = 0, green = 0, blue = 0, offset = 0;
  double most = 0;  // the largest code
};

// The components of `finfo` (which may be another format than the frame's, such as the one it unpacks to), as the
// colorimetry of the frame has them.
std::array<ComponentCode, GST_VIDEO_MAX_COMPONENTS> component_codes(const GstVideoFormatInfo& finfo,
                                                                    const GstVideoColorimetry& colorimetry);

// Whether sRGB has to be put on another curve first (HDR: full signal would be blinding).
bool needs_toning(GstVideoTransferFunction transfer);
// The same picture with white at the level of graphics in HDR (ITU-R BT.2408: 203 cd/m², 75 % of HLG).
Image toned(const Image& image, GstVideoTransferFunction transfer);

}  // namespace bcp::overlay

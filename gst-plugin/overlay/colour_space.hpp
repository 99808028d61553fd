// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Converts sRGB to the colorimetry of a frame: colour matrix, range and transfer curve.

#pragma once

#include <gst/video/video.h>

#include <array>

#include "overlay/image.hpp"

namespace bcp::overlay {

// The code value of one component for a premultiplied colour:
//   code = red * r + green * g + blue * b + offset * alpha, with r, g, b and alpha in [0, 1].
// Linear, so it is also valid for averages of premultiplied colours.
struct ComponentCode {
  double red = 0, green = 0, blue = 0, offset = 0;
  double most = 0;  // the largest code
};

// The components of `finfo`, with the colorimetry of the frame. `finfo` may differ from the frame's format: it can be
// the format that the frame is unpacked to.
std::array<ComponentCode, GST_VIDEO_MAX_COMPONENTS> component_codes(const GstVideoFormatInfo& finfo,
                                                                    const GstVideoColorimetry& colorimetry);

// Whether sRGB must first be converted to another curve (HDR: white at full signal would be far too bright).
bool needs_toning(GstVideoTransferFunction transfer);
// The same picture with white at the HDR level for graphics (ITU-R BT.2408: 203 cd/m², 75 % of HLG).
Image toned(const Image& image, GstVideoTransferFunction transfer);

}  // namespace bcp::overlay

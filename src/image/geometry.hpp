// SPDX-License-Identifier: LGPL-2.1-or-later
// Which pixels of the resized picture go where in the tensor.
//
// Sizes and crops are computed for the upright, displayed picture, as in CLIP's preprocessing, and then converted to
// the stored orientation: the resampler never rotates, the writer does.

#pragma once

#include <cstddef>
#include <vector>

#include "image/picture.hpp"
#include "image/preprocessor.hpp"

namespace bcp::image {

// A square of the resized picture, as stored; its side is the model's size.
struct Window {
  int x = 0, y = 0;
};

// The position of pixel (x, y) of a window in a plane of the tensor: origin + x * step_x + y * step_y.
struct Placement {
  std::ptrdiff_t origin = 0, step_x = 0, step_y = 0;
};

struct Geometry {
  int width = 0, height = 0;    // size of the whole resized picture, as stored
  std::vector<Window> windows;  // one per tile: left to right or top to bottom of the upright picture
  Placement placement;          // the same for every window
};

// REQUIRES: a format and a spec that Preprocessor::make accepts.
Geometry plan_geometry(const PictureFormat& format, const TensorSpec& spec, Coverage coverage);

// The part of the picture, as stored, that the model sees: all windows and the gaps between them. The resize filter
// reads a few pixels more. REQUIRES: as above.
Rect seen_part(const PictureFormat& format, const TensorSpec& spec, Coverage coverage);

}  // namespace bcp::image

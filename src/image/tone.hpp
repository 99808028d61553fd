// SPDX-License-Identifier: LGPL-2.1-or-later
// From a byte to the number that the model gets: (byte / 255 - mean) / std, rounded once.

#pragma once

#include <array>

namespace bcp::image {

// The same as a straight line, for vector instructions. With steps = byte - middle it is the sum of
// steps * factor + offset, which is exact in float because factor and offset have so few bits, and of
// steps * fine_factor + fine_offset, what they leave out. So it is nearly always the table's value, and a user of lines
// compares the two first. `middle` is the byte nearest to 0, where a relative error would be largest.
struct ToneLine {
  float middle = 0, factor = 0, offset = 0, fine_factor = 0, fine_offset = 0;
};

using ToneTable = std::array<float, 256>;

ToneTable tone_table(float mean, float std);
ToneLine tone_line(float mean, float std);

}  // namespace bcp::image

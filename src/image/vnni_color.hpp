// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels::halved_chroma with the 16-bit dot product of AVX-512 VNNI. Gives the same bytes as the other kernels.

#pragma once

#include "image/kernels.hpp"

namespace bcp::image {

// REQUIRES: a processor with AVX-512 VNNI (vnni_kernels() checks that).
void vnni_halved_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                        std::size_t count, const PlanarRow& out);

}  // namespace bcp::image

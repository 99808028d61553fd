// SPDX-License-Identifier: LGPL-2.1-or-later
// One pixel as four floats: three colours and one lane that nobody reads.
//
// The compiler's vector extension, not a processor's intrinsics: the same code becomes SSE2 or NEON. Lane order is
// whatever the source has; the tensor writer, which touches each pixel once, sorts the colours out.

#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bcp::image {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

// A struct, because a bare vector type loses its attributes as a template argument.
struct Pixel {
  Float4 lanes{};
};

inline Float4 splat(float v) {
  return Float4{v, v, v, v};
}

// The whole number a byte can hold that is at or below v, as float.
inline Float4 floor_to_byte(Float4 v) {
#if defined(__SSE2__)  // GCC 12 makes three instructions of each comparison below
  v = _mm_min_ps(_mm_max_ps(v, splat(0)), splat(255));
#else
  v = v > splat(0) ? v : splat(0);
  v = v < splat(255) ? v : splat(255);
#endif
  return __builtin_convertvector(__builtin_convertvector(v, Int4), Float4);
}

// The nearest one; ties go up, as in Pillow.
inline Float4 to_byte(Float4 v) {
  return floor_to_byte(v + splat(0.5F));
}

}  // namespace bcp::image

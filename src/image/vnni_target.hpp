// SPDX-License-Identifier: LGPL-2.1-or-later
// For sources with intrinsics of AVX-512 VNNI, which Highway 1.0 has no operations for. Include it before anything that
// includes intrinsics.

#pragma once

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false positives in GCC 12's own headers
#endif

#define BCP_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define BCP_VNNI_INLINE BCP_VNNI inline __attribute__((always_inline))

#endif

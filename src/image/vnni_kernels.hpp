// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "image/kernels.hpp"

namespace bcp::image {

// The kernels for AVX-512 with faster passes, where the processor also has VNNI. None elsewhere, and for other kernels.
std::optional<Kernels> vnni_kernels(const Kernels& base);

}  // namespace bcp::image

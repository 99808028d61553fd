// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "image/kernels.hpp"

namespace bcp::image {

// The AVX-512 kernels with faster passes, if the processor also has VNNI. Empty on other processors and for other
// kernels.
std::optional<Kernels> vnni_kernels(const Kernels& base);

}  // namespace bcp::image

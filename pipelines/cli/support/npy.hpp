// SPDX-License-Identifier: LGPL-2.1-or-later
// NumPy's file format, written: numpy.load("out.npy") gives the array back.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli {

// Makes the file at `path` hold the numbers as float32 of this shape, last index fastest; an older file is replaced
// whole. REQUIRES: the shape's product is values.size().
Status write_npy(const std::string& path, std::span<const float> values, const std::vector<std::size_t>& shape);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// gzip, through zlib.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::tokenize {

bool is_gzip(std::string_view bytes);

// The unpacked content. A truncated or damaged file is an error, and so is one with more than `limit` bytes, so that a
// small file cannot exhaust the memory.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit);

}  // namespace bcp::tokenize

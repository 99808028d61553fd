// SPDX-License-Identifier: LGPL-2.1-or-later
// gzip, through zlib.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::tokenize {

bool is_gzip(std::string_view bytes);

// What the file holds. A cut or damaged one is an error, and so is one that would give more than `limit` bytes, so that
// a small file cannot eat the memory.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit);

}  // namespace bcp::tokenize

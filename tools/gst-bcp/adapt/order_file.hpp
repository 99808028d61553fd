// SPDX-License-Identifier: LGPL-2.1-or-later
// The order in which rows are processed, from a file: checked once, then read index by index. The check needs one bit
// of memory per row.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/npy.hpp"
#include "base/result.hpp"

namespace bcp::cli {

class OrderFile {
 public:
  // One dimension, with each index from 0 to rows - 1 once. An empty path: the order of the rows.
  static Result<OrderFile> open(const std::string& path, std::size_t rows);

  // The row at position `place` of the order.
  Result<std::size_t> row(std::size_t place);

 private:
  std::optional<NpyReader> file_;
};

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// The order in which rows are seen, from a file: checked once, then read as it is followed. What it holds in memory is
// one bit a row while it checks.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/npy.hpp"
#include "base/result.hpp"

namespace bcp::cli {

class OrderFile {
 public:
  // One side, with each index from 0 to rows - 1 once. An empty path: as the rows are.
  static Result<OrderFile> open(const std::string& path, std::size_t rows);

  // The row that is seen as number `place`.
  Result<std::size_t> row(std::size_t place);

 private:
  std::optional<NpyReader> file_;
};

}  // namespace bcp::cli

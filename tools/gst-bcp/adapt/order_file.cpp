// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/adapt/order_file.hpp"

#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "base/number_text.hpp"

namespace bcp::cli {
namespace {

// "3", "2.5", "nan".
Error refuse(const NpyReader& file, const std::string& what) {
  return Error{ErrorCode::kInvalid, file.path() + " " + what};
}

}  // namespace

Result<OrderFile> OrderFile::open(const std::string& path, std::size_t rows) {
  OrderFile order;
  if (path.empty()) return order;
  Result<NpyReader> file = NpyReader::open(path);
  if (!file) return file.error();
  if (file->shape().size() == 2 && file->shape()[1] == rows)
    return refuse(*file, "has " + std::to_string(file->rows()) + " orders: save only one of them, a[0]");
  if (file->shape().size() != 1 || file->rows() != rows)
    return refuse(*file, "has " + std::to_string(file->rows() * file->width()) + " indices in " +
                             std::to_string(file->shape().size()) + " dimensions where one dimension with " +
                             std::to_string(rows) + " is needed, one for each row: make it from numpy.arange(" +
                             std::to_string(rows) + ")");
  std::vector<bool> seen(rows);
  double index = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (const Status read = file->row(i, {&index, 1}); !read) return read.error();
    const std::string place = " at place " + std::to_string(i);
    if (!(index >= 0 && index < static_cast<double>(rows)) || index != std::floor(index))
      return refuse(*file, "has " + number_text("%.17g", index) + place +
                               ", which is not a row: indices are whole numbers from 0 to " + std::to_string(rows - 1));
    const auto row = static_cast<std::size_t>(index);
    if (seen[row])
      return refuse(*file, "has row " + std::to_string(row) + " a second time" + place +
                               ": every row must come exactly once, as in numpy.random.permutation(" +
                               std::to_string(rows) + ")");
    seen[row] = true;
  }
  order.file_ = std::move(*file);
  return order;
}

Result<std::size_t> OrderFile::row(std::size_t place) {
  if (!file_) return place;
  double index = 0;
  if (const Status read = file_->row(place, {&index, 1}); !read) return read.error();
  return static_cast<std::size_t>(index);
}

}  // namespace bcp::cli

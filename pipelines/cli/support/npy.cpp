// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support/npy.hpp"

#include <bit>
#include <filesystem>

#include "base/file.hpp"

namespace bcp::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

// The description in front of the numbers: a Python dictionary, padded so that they begin at a multiple of 64.
std::string header(const std::vector<std::size_t>& shape) {
  std::string sides;
  for (const std::size_t side : shape) sides += std::to_string(side) + ",";
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sides + "), }";
  constexpr std::size_t kPreamble = 10;
  while ((kPreamble + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace

Status write_npy(const std::string& path, std::span<const float> values, const std::vector<std::size_t>& shape) {
  // A rename would put a file in the place of a device or a pipe.
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    return Error{ErrorCode::kInvalid, path + " is no ordinary file: name another one to write to"};
  std::string bytes = header(shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return replace_file(path, bytes);
}

}  // namespace bcp::cli

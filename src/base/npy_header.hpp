// SPDX-License-Identifier: LGPL-2.1-or-later
// The header of a .npy file. Internal to the reader and the writer (npy.hpp).
//
//   "\x93NUMPY", version, length, {'descr': '<f4', 'fortran_order': False, 'shape': (4952, 20), }

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::npy {

// The bytes that contain the header's length: "\x93NUMPY", two of version, two or four of length.
inline constexpr std::size_t kMostPreamble = 12;
inline constexpr std::size_t kMostDescription = std::size_t{1} << 16;

struct Preamble {
  std::size_t offset = 0;  // of the description
  std::size_t length = 0;
};

// Parses the first bytes of a file: kMostPreamble of them, or all if the file is shorter. The caller puts the file's
// name in front of the error message.
Result<Preamble> parse_preamble(std::string_view bytes);

struct Header {
  char order = '<';  // '<' or '>'; ignored if size is 1
  char kind = 'f';   // 'f', 'i', 'u' or 'b'
  std::size_t size = 4;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// Parses the description; errors as above. Returns only numeric types.
Result<Header> parse_description(std::string_view text);

// The product of the dimensions; empty if it overflows size_t, also when another dimension is 0.
std::optional<std::size_t> product(const std::vector<std::size_t>& shape);

// "float32", "bool".
std::string type_name(const Header& header);
// As Python writes it: "(4952, 20)".
std::string shape_text(const std::vector<std::size_t>& shape);

// Preamble and description, padded so that the numbers begin at a multiple of 64.
std::string encode(const Header& header);

}  // namespace bcp::npy

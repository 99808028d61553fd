// SPDX-License-Identifier: LGPL-2.1-or-later
// What a .npy file says about itself in front of its numbers. Internal to the reader and the writer (npy.hpp).
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

// The bytes that tell how long the description is: "\x93NUMPY", two of version, two or four of length.
inline constexpr std::size_t kMostPreamble = 12;
inline constexpr std::size_t kMostDescription = std::size_t{1} << 16;

struct Preamble {
  std::size_t offset = 0;  // where the description begins
  std::size_t length = 0;
};

// From the first bytes of a file, kMostPreamble of them or all there are. The sentence of an error goes after the
// file's name.
Result<Preamble> parse_preamble(std::string_view bytes);

struct Header {
  char order = '<';  // '<' or '>'; of no meaning where size is 1
  char kind = 'f';   // 'f', 'i', 'u' or 'b'
  std::size_t size = 4;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// From the description; errors as above. Only types of numbers come back.
Result<Header> parse_description(std::string_view text);

// The product of the sides; none if no size_t can hold it. A side of 0 does not hide the others' product.
std::optional<std::size_t> product(const std::vector<std::size_t>& shape);

// "float32", "bool".
std::string type_name(const Header& header);
// As Python writes it: "(4952, 20)".
std::string shape_text(const std::vector<std::size_t>& shape);

// Preamble and description, padded so that the numbers begin at a multiple of 64.
std::string encode(const Header& header);

}  // namespace bcp::npy

// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads NumPy's .npy files, so that tests can compare with reference arrays.
//
// Little-endian, C order, format versions 1 to 3; float16/32/64, signed and unsigned integers of 1 to 8 bytes and
// bool, all widened to double (exact up to 2^53). Anything else throws: a test that cannot read its data has failed.

#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bcp::test {

static_assert(std::endian::native == std::endian::little, "the reader copies little-endian values as they are");

struct Npy {
  std::vector<std::size_t> shape;
  std::vector<double> data;  // last index fastest

  std::size_t size() const { return data.size(); }
  double operator[](std::size_t i) const { return data[i]; }
  // Row `i` of the first axis.
  std::vector<double> row(std::size_t i) const {
    const std::size_t length = data.size() / shape.at(0);
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(i * length);
    return {begin, begin + static_cast<std::ptrdiff_t>(length)};
  }
  std::vector<float> floats() const { return {data.begin(), data.end()}; }
};

namespace npy_detail {

template <typename T>
double widen(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

inline double widen_half(const char* bytes) {
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return (bits & 0x8000) != 0 ? -value : value;
}

struct Type {
  std::size_t bytes;
  double (*widen)(const char*);
};

inline Type type_of(const std::string& code) {
  if (code == "<f8") return {8, widen<double>};
  if (code == "<f4") return {4, widen<float>};
  if (code == "<f2") return {2, widen_half};
  if (code == "<i8") return {8, widen<std::int64_t>};
  if (code == "<i4") return {4, widen<std::int32_t>};
  if (code == "<i2") return {2, widen<std::int16_t>};
  if (code == "|i1") return {1, widen<std::int8_t>};
  if (code == "<u8") return {8, widen<std::uint64_t>};
  if (code == "<u4") return {4, widen<std::uint32_t>};
  if (code == "<u2") return {2, widen<std::uint16_t>};
  if (code == "|u1" || code == "|b1") return {1, widen<std::uint8_t>};
  throw std::runtime_error("unknown element type " + code);
}

// The text after 'key': in the header, a Python dictionary literal, up to `end`.
inline std::string field(const std::string& header, const std::string& key, char end) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) throw std::runtime_error("no " + key + " in the header");
  const std::size_t begin = header.find_first_not_of(" '(", at + key.size() + 3);
  return header.substr(begin, header.find(end, begin) - begin);
}

inline Npy parse(const std::string& file) {
  if (file.size() < 12 || file.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error("not a .npy file");
  const bool v1 = file[6] == 1;
  const std::size_t start = v1 ? 10 : 12;
  const auto header_size =
      static_cast<std::size_t>(v1 ? widen<std::uint16_t>(&file[8]) : widen<std::uint32_t>(&file[8]));
  if (file.size() < start + header_size) throw std::runtime_error("ends inside its header");
  const std::string header = file.substr(start, header_size);
  if (field(header, "fortran_order", ',') != "False") throw std::runtime_error("not in C order");
  const Type type = type_of(field(header, "descr", '\''));

  Npy array;
  std::istringstream dimensions(field(header, "shape", ')'));
  for (std::string each; std::getline(dimensions, each, ',');)
    if (each.find_first_of("0123456789") != std::string::npos) array.shape.push_back(std::stoul(each));
  const std::size_t count =
      std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1}, std::multiplies<>());
  if (file.size() != start + header_size + count * type.bytes)
    throw std::runtime_error("its length does not match its shape");
  array.data.resize(count);
  for (std::size_t i = 0; i < count; ++i) array.data[i] = type.widen(&file[start + header_size + i * type.bytes]);
  return array;
}

}  // namespace npy_detail

inline Npy load_npy(const std::string& path) try {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot be opened");
  return npy_detail::parse({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
} catch (const std::exception& e) {
  throw std::runtime_error(path + ": " + e.what());
}

}  // namespace bcp::test

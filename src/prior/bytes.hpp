// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Numbers and names as bytes, little-endian on every machine.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bcp::prior {

// Numbers byte by byte, so that every machine writes and reads the same; compilers turn it into one move.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
  Bits<T> bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bits |= static_cast<Bits<T>>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return std::bit_cast<T>(bits);
}

// Larger numbers are refused, and smaller variances: sums of them over files and nodes would not be finite.
inline constexpr double kMostNumber = 1e30;

// Whether it can be a count: of samples, or a sum of probabilities. NaN is not.
inline bool is_count(double value) {
  return value >= 0 && value <= kMostNumber;
}

// Appends pieces.
class Writer {
 public:
  explicit Writer(std::size_t size = 0) { bytes_.reserve(size); }

  template <typename T>
  void number(T value) {
    const auto bits = std::bit_cast<Bits<T>>(value);
    char little[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) little[i] = static_cast<char>(bits >> (8 * i) & 0xFF);
    bytes_.append(little, sizeof(T));
  }
  void numbers(const std::vector<double>& values) {
    for (const double value : values) number(value);
  }
  void text(std::string_view text) { bytes_ += text; }
  // Writes its length first.
  void name(std::string_view name) {
    number(static_cast<std::uint32_t>(name.size()));
    text(name);
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Takes pieces from the front. A piece that is incomplete gives an empty result and takes nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }
  std::optional<std::string_view> text(std::size_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <typename T>
  std::optional<T> number() {
    const auto taken = text(sizeof(T));
    if (!taken) return std::nullopt;
    return number_at<T>(*taken, 0);
  }
  // As written by Writer::name().
  std::optional<std::string_view> name() {
    const auto length = number<std::uint32_t>();
    return length ? text(*length) : std::nullopt;
  }
  // REQUIRES: left() is large enough.
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = *number<double>();
    return values;
  }

 private:
  std::string_view rest_;
};

}  // namespace bcp::prior

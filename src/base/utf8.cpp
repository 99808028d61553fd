// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/utf8.hpp"

namespace bcp::utf8 {

std::optional<CodePoint> first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return CodePoint{lead, 1};
  // 0x80 to 0xC1 continue a sequence or begin an overlong one; bytes above 0xF4 are invalid.
  if (lead < 0xC2 || lead > 0xF4) return std::nullopt;
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return std::nullopt;

  char32_t value = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (next & 0x3Fu);
  }
  const char32_t smallest = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return std::nullopt;
  return CodePoint{value, bytes};
}

std::size_t valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto code_point = first(text.substr(at));
    if (!code_point) break;
    at += code_point->bytes;
  }
  return at;
}

bool is_space(char32_t c) {
  if (c <= 0x20 || (c >= 0x7F && c <= 0xA0)) return true;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000 || c == 0xFEFF;
}

}  // namespace bcp::utf8

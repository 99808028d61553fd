// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/precompiled.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // the largest published table has half a megabyte
constexpr std::size_t kWholeGrapheme = 6;                 // graphemes of fewer bytes are looked up whole

Error damaged_map(const std::string& what) {
  return Error{ErrorCode::kInvalid, "its precompiled_charsmap is damaged (" + what + "): fetch the file again"};
}

// Units of a double array, in the format of Darts-clone.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) == 1;
}
bool is_leaf(std::uint32_t unit) {
  return unit >> 31 == 1;
}
std::uint32_t leaf_value(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FF;
}
std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200) >> 6);
}

Result<std::string> decode_base64(const std::string& text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > kMaxBytes) return damaged_map("its base64 is truncated");
  // OpenSSL ignores white space at both ends, and reads "=" anywhere as zeros.
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const bool plain = std::all_of(text.begin(), text.end() - static_cast<std::ptrdiff_t>(padding), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
  if (!plain) return damaged_map("it is not base64");
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0 || static_cast<std::size_t>(length) != bytes.size()) return damaged_map("it is not base64");
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

}  // namespace

Result<Precompiled> Precompiled::make(const std::string& base64) {
  const Result<std::string> decoded = decode_base64(base64);
  if (!decoded) return decoded.error();
  Result<Pattern> grapheme = Pattern::grapheme();
  if (!grapheme) return Error{grapheme.error().code, "the expression \\X " + grapheme.error().message};
  Precompiled table(*std::move(grapheme));

  std::string_view bytes = *decoded;
  if (bytes.size() < 4) return damaged_map("it has no trie");
  const std::uint32_t trie_bytes = little_endian(bytes);
  bytes.remove_prefix(4);
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > bytes.size())
    return damaged_map("its trie claims " + std::to_string(trie_bytes) + " of " + std::to_string(bytes.size()) +
                       " bytes");
  for (std::size_t at = 0; at < trie_bytes; at += 4) table.units_.push_back(little_endian(bytes.substr(at)));
  table.strings_ = bytes.substr(trie_bytes);
  if (Status checked = table.check(); !checked) return checked.error();
  return table;
}

// Checks every unit, so that no lookup can leave the trie or the strings.
Status Precompiled::check() const {
  if (utf8::valid_prefix(strings_) != strings_.size()) return damaged_map("its strings are not UTF-8");
  if (!strings_.ends_with('\0') && !strings_.empty()) return damaged_map("its last string has no end");
  if (is_leaf(units_[0])) return damaged_map("its trie has no root");
  for (std::size_t at = 0; at < units_.size(); ++at) {
    const std::uint32_t unit = units_[at];
    if (is_leaf(unit)) continue;
    // The children of a unit are within a block of 256 units.
    const std::size_t children = at ^ offset_of(unit);
    if ((children | 0xFF) >= units_.size())
      return damaged_map("unit " + std::to_string(at) + " of its trie points outside of it");
    if (!has_leaf(unit)) continue;
    const std::uint32_t value = leaf_value(units_[children]);
    const bool is_start = value < strings_.size() && (static_cast<unsigned char>(strings_[value]) & 0xC0) != 0x80;
    if (!is_start) return damaged_map("unit " + std::to_string(at) + " of its trie does not point to a string");
  }
  return ok();
}

std::optional<std::string_view> Precompiled::find(std::string_view text) const {
  std::size_t node = offset_of(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return std::nullopt;  // a zero is the label of a leaf
    node ^= byte;
    const std::uint32_t unit = units_[node];
    if (label_of(unit) != byte) return std::nullopt;
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    const std::string_view string = std::string_view(strings_).substr(leaf_value(units_[node]));
    return string.substr(0, string.find('\0'));
  }
  return std::nullopt;
}

std::string Precompiled::apply(std::string_view text) const {
  std::string result;
  result.reserve(text.size());
  for (const Pattern::Match& match : grapheme_.matches(text)) {
    const std::string_view grapheme = text.substr(match.begin, match.end - match.begin);
    if (grapheme.size() < kWholeGrapheme) {
      if (const auto replaced = find(grapheme)) {
        result += *replaced;
        continue;
      }
    }
    for (std::size_t at = 0; at < grapheme.size();) {
      const std::size_t start = at;
      unicode::next(grapheme, at);
      const std::string_view part = grapheme.substr(start, at - start);
      result += find(part).value_or(part);
    }
  }
  return result;
}

}  // namespace bcp::tokenize

// SPDX-License-Identifier: LGPL-2.1-or-later
// Encodes bytes and text for a page.

#pragma once

#include <bit>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli::html {

std::string base64(std::string_view bytes);

// Numbers as JavaScript's typed arrays read them: base64 of their bytes, little-endian.
template <typename Number>
std::string packed(const std::vector<Number>& numbers) {
  static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");
  return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

// JSON for a <script> element: nothing in it can end the element or begin a comment.
std::string script_safe(const nlohmann::ordered_json& value);

// Text for use between tags and in quoted attributes.
std::string escaped(std::string_view text);

}  // namespace bcp::cli::html

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/html/encode.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace bcp::cli::html {

std::string base64(std::string_view bytes) {
  // In pieces, because OpenSSL counts in int; of a multiple of three, because only the last may be padded.
  constexpr std::size_t kPiece = std::size_t{3} << 20;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4 + 1);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    const std::size_t start = text.size();
    text.resize(start + (piece.size() + 2) / 3 * 4 + 1);  // a null byte follows
    const int written =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data() + start),
                        reinterpret_cast<const unsigned char*>(piece.data()), static_cast<int>(piece.size()));
    text.resize(start + static_cast<std::size_t>(std::max(written, 0)));
  }
  return text;
}

std::string script_safe(const nlohmann::ordered_json& value) {
  using Json = nlohmann::ordered_json;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 64);
  for (const char c : text) {
    // In JSON this character can only be part of a string.
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace bcp::cli::html

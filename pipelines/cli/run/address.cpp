// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/address.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace bcp::cli::run {
namespace {

constexpr std::string_view kSeparator = "://";

std::string_view scheme_of(std::string_view address) {
  return address.substr(0, address.find(kSeparator));
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

bool is_address(std::string_view text) {
  const std::size_t end = text.find(kSeparator);
  if (end == std::string_view::npos || end == 0) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_live_address(std::string_view address) {
  constexpr std::array<std::string_view, 12> kLive = {"rtsp",   "rtspt",  "rtspu", "rtsph", "rtsps", "rtspst",
                                                      "rtspsu", "rtspsh", "udp",   "rtp",   "srt",   "v4l2"};
  return std::find(kLive.begin(), kLive.end(), scheme_of(address)) != kLive.end();
}

std::string without_secrets(const std::string& text) {
  // Greedy up to the last @ before a slash: a password may hold an @ of its own.
  static const std::regex user_and_password(R"(([A-Za-z][A-Za-z0-9+.-]*://)([^/:@\s"'<>]*):[^/\s"'<>]*@)");
  static const std::regex user_alone(R"(([A-Za-z][A-Za-z0-9+.-]*://)[^/:@\s"'<>]+@)");  // may be a token
  static const std::regex query(R"(([?&;][^=&\s]*(?:pass|pwd|token|secret|key|auth|sig)[^=&\s]*=)[^&\s"'<>]+)",
                                std::regex::icase);
  std::string clean = std::regex_replace(text, user_and_password, "$1$2:***@");
  clean = std::regex_replace(clean, user_alone, "$1***@");
  return std::regex_replace(clean, query, "$1***");
}

std::string file_name_of(std::string_view address) {
  std::string_view rest = address.substr(address.find(kSeparator) + kSeparator.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view host = rest.substr(0, slash);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  std::string name(host);
  name += rest.substr(slash);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_letter_or_digit(c) && c != '.' && c != '_'; }, '-');
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  name.erase(0, std::min(name.find_first_not_of("-."), name.size()));
  return name.empty() ? "stream" : name;
}

}  // namespace bcp::cli::run

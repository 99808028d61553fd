// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/address.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace bcp::cli::run {
namespace {

constexpr std::string_view kSeparator = "://";

std::string_view scheme_of(std::string_view address) {
  return address.substr(0, address.find(kSeparator));
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// What stands for the user and password in `rest`, an address behind its "://", when these are to be left out: how many
// characters are kept and how many replaced. A password may hold an @ of its own, quotes, and slashes, which are wrong
// in an address and typed all the same; a port is no password; a user alone may be a token.
std::pair<std::size_t, std::size_t> secret_in(std::string_view rest) {
  const std::size_t user_end = std::min(rest.find_first_of("/:@["), rest.size());
  const std::size_t last_at = rest.rfind('@');
  if (last_at == std::string_view::npos || user_end == rest.size()) return {0, 0};
  if (rest[user_end] == '@') return {0, user_end};
  if (rest[user_end] != ':' || last_at < user_end) return {0, 0};
  const std::size_t password = user_end + 1;
  const std::size_t digits_end = std::min(rest.find_first_not_of("0123456789", password), rest.size());
  const bool is_port =
      digits_end > password && std::string_view("/?#\"'").find(rest[digits_end]) != std::string_view::npos;
  if (is_port) return {0, 0};
  return {password, last_at - password};
}

// By hand: std::regex recurses once a character, and a list of labels may be long.
std::string without_users(const std::string& text) {
  std::string clean;
  std::size_t done = 0;
  for (std::size_t at = text.find(kSeparator); at != std::string::npos;) {
    const std::size_t start = at + kSeparator.size();
    const std::size_t next = text.find(kSeparator, start);
    std::size_t end = start;
    while (end < text.size() && end < next && !is_space(text[end])) ++end;
    const auto [kept, replaced] = secret_in(std::string_view(text).substr(start, end - start));
    if (replaced > 0) {
      clean.append(text, done, start + kept - done).append("***");
      done = start + kept + replaced;
    }
    at = next;
  }
  return clean.append(text, done);
}

// Of a name in a query, whether its value is a secret.
bool names_secret(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 7> kWords = {"pass", "pwd", "token", "secret", "key", "auth", "sig"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string without_secret_values(const std::string& text) {
  std::string clean;
  std::size_t name = std::string::npos;  // where one may have begun
  for (std::size_t i = 0; i < text.size(); ++i) {
    clean += text[i];
    if (std::string_view("?&;#").find(text[i]) != std::string_view::npos) {
      name = i + 1;
    } else if (is_space(text[i])) {
      name = std::string::npos;
    } else if (text[i] == '=' && name != std::string::npos) {
      const bool is_secret = names_secret(std::string_view(text).substr(name, i - name));
      name = std::string::npos;
      const std::size_t value = i + 1;
      const std::size_t end = std::min(text.find_first_of("& \t\r\n\"'<>", value), text.size());
      if (!is_secret || end == value) continue;
      clean += "***";
      i = end - 1;
    }
  }
  return clean;
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
  return without_secret_values(without_users(text));
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

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/address.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace bcp::cli::run {
namespace {

constexpr std::string_view kSeparator = "://";

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) { return std::tolower(c); });
  return lowered;
}

// In small letters: RTSP:// is the same.
std::string scheme_of(std::string_view address) {
  return lower(address.substr(0, address.find(kSeparator)));
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// How RTSP addresses begin: rtsp, rtspt, rtspsu, ...
bool is_rtsp(std::string_view scheme) {
  return scheme.starts_with("rtsp");
}

// Where the user and the password lie in `rest`, an address behind its "://".
struct UserInfo {
  std::size_t end = 0;       // of both, at the @; 0: not present
  std::size_t password = 0;  // where it begins; 0: not present
  bool sure = true;          // false: it may also be a port, and the @ part of the path
};

// A password may contain @, quotes, and slashes: users type them although an address must not have them. So the
// password ends at the last @. A user name alone may be a token.
UserInfo user_info_of(std::string_view rest, bool rtsp) {
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos || rest.starts_with('[')) return {};
  // The user name of a camera may contain a slash too. After the first slash of a web address an @ belongs to the path.
  const std::size_t user_end = rest.find_first_of(rtsp ? ":@" : "/:@?#");
  if (rest[user_end] == '@') return {user_end, 0, true};
  if (rest[user_end] != ':' || user_end > at) return {};
  const std::size_t digits_end = rest.find_first_not_of("0123456789", user_end + 1);
  const bool may_be_port = digits_end > user_end + 1 && rest[digits_end] != '@';
  return {at, user_end + 1, !may_be_port};
}

// The letters and digits that end at `end`.
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t start = end;
  while (start > 0 && is_letter_or_digit(text[start - 1])) --start;
  return text.substr(start, end - start);
}

// Not std::regex: it recurses once per character, and a list of labels may be long.
std::string without_users(const std::string& text) {
  std::string clean;
  std::size_t done = 0;
  for (std::size_t at = text.find(kSeparator); at != std::string::npos;) {
    const std::size_t start = at + kSeparator.size();
    const std::size_t next = text.find(kSeparator, start);
    std::size_t end = start;
    while (end < text.size() && end < next && !is_space(text[end])) ++end;
    const UserInfo user =
        user_info_of(std::string_view(text).substr(start, end - start), is_rtsp(lower(word_before(text, at))));
    if (user.end > user.password) {
      clean.append(text, done, start + user.password - done).append("***");
      done = start + user.end;
    }
    at = next;
  }
  return clean.append(text, done);
}

// A space is invalid in an address, but must not end the password, or the rest of it would be shown.
std::string without_spaces(const std::string& address) {
  std::string text;
  for (const char c : address) is_space(c) ? text += "%20" : text += c;
  return text;
}

// Whether the value of this query parameter is a secret.
bool names_secret(std::string_view name) {
  const std::string lowered = lower(name);
  constexpr std::array<std::string_view, 7> kWords = {"pass", "pwd", "token", "secret", "key", "auth", "sig"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lowered.find(word) != std::string::npos; });
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

std::string shown_address(const std::string& address) {
  return without_secrets(without_spaces(address));
}

std::string escaped_address(const std::string& given) {
  std::string address = without_spaces(given);
  address.replace(0, address.find(kSeparator), scheme_of(address));
  const std::size_t start = address.find(kSeparator) + kSeparator.size();
  const UserInfo user = user_info_of(std::string_view(address).substr(start), is_rtsp(scheme_of(address)));
  if (user.end <= user.password || !user.sure) return address;
  std::string text = address.substr(0, start);
  for (std::size_t i = 0; i < user.end; ++i) {
    const char c = address[start + i];
    const bool colon = user.password > 0 && i == user.password - 1;
    if (colon || c == '%' || is_letter_or_digit(c) ||
        std::string_view("-._~!$&*+,;=").find(c) != std::string_view::npos) {
      text += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      text.append(1, '%').append(1, kHex[static_cast<unsigned char>(c) >> 4]).append(1, kHex[c & 15]);
    }
  }
  return text.append(address, start + user.end);
}

std::string file_name_of(std::string_view address) {
  std::string_view rest = address.substr(address.find(kSeparator) + kSeparator.size());
  if (const UserInfo user = user_info_of(rest, is_rtsp(scheme_of(address))); user.end > 0)
    rest.remove_prefix(user.end + 1);
  std::string name(rest.substr(0, rest.find_first_of("?#")));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_letter_or_digit(c) && c != '.' && c != '_'; }, '-');
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  name.erase(0, std::min(name.find_first_not_of("-."), name.size()));
  return name.empty() ? "stream" : name;
}

}  // namespace bcp::cli::run

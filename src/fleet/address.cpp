// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/address.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/file.hpp"
#include "base/utf8.hpp"

namespace bcp::fleet {
namespace {

constexpr std::string_view kForm = "redis://[user:password@]host[:port][/db]/name";
constexpr std::size_t kMostName = 128;
constexpr int kFewestIntervals = 12;  // before a node expires

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) { return std::tolower(c); });
  return lowered;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "%40" is "@". A % that begins no number stays: people type passwords as they are.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::optional<int> whole_number(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

// The rest of an address behind "://": what is before the last @, and what follows. A password may contain @, / and ?,
// as people type it; so an @ behind it, in a name, is written as %40.
struct Halves {
  std::string_view user_info, rest;
};
Halves halves_of(std::string_view behind_scheme) {
  const std::size_t at = behind_scheme.rfind('@');
  if (at == std::string_view::npos) return {{}, behind_scheme};
  return {behind_scheme.substr(0, at), behind_scheme.substr(at + 1)};
}

std::size_t scheme_end(std::string_view text) {
  return text.find("://") + 3;
}

// Where the port begins in "host:port/..."; the end if the port is missing.
std::size_t port_start(std::string_view rest) {
  const std::size_t bracket = rest.starts_with('[') ? std::min(rest.find(']'), rest.size()) : 0;
  const std::size_t colon = rest.find(':', bracket);
  return colon < rest.find_first_of("/?") ? colon + 1 : rest.size();
}

// Names become part of keys and of messages.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && utf8::valid_prefix(name) == name.size() &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
}

Result<std::string> password_from_environment() {
  if (const char* set = std::getenv("GST_BCP_REDIS_PASSWORD"); set && *set) return std::string(set);
  const char* path = std::getenv("GST_BCP_REDIS_PASSWORD_FILE");
  if (!path || !*path) return std::string();
  Result<std::string> text = read_file(path, 4096);
  if (!text) return Error{text.error().code, "GST_BCP_REDIS_PASSWORD_FILE: " + text.error().message};
  return text->substr(0, text->find_first_of("\r\n"));
}

Status set_host(std::string_view text, Address& address, const std::string& shown) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return invalid(shown + " has a [ without a ]: write an IPv6 host as [::1]");
    address.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = text.rfind(':');
    address.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (address.host.empty()) return invalid(shown + " has no host: write " + std::string(kForm));
  if (port.empty()) return ok();
  const auto number = whole_number(port.substr(1), 1, 65535);
  if (!port.starts_with(':') || !number) return invalid(shown + " has an invalid port: use a number from 1 to 65535");
  address.port = *number;
  return ok();
}

Status set_option(std::string_view name, std::string_view value, Address& address, const std::string& shown) {
  if (name == "node") {
    address.node = percent_decoded(value);
    if (is_plain_name(address.node)) return ok();
    return invalid(shown + ": node must be 1 to 128 characters of UTF-8 without spaces");
  }
  if (name == "interval") {
    const auto seconds = whole_number(value, 1, 3600);
    if (!seconds) return invalid(shown + ": interval must be a number of seconds from 1 to 3600");
    address.interval = std::chrono::seconds(*seconds);
    return ok();
  }
  if (name == "expire") {
    const auto seconds = whole_number(value, 60, 365 * 24 * 3600);
    if (!seconds) return invalid(shown + ": expire must be a number of seconds from 60 to 31536000 (a year)");
    address.expire = std::chrono::seconds(*seconds);
    return ok();
  }
  return invalid(shown + " has the unknown option \"" + std::string(name) + "\": use node, interval or expire");
}

Status set_options(std::string_view query, Address& address, const std::string& shown) {
  while (!query.empty()) {
    const std::string_view each = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(each.size() + 1, query.size()));
    const std::size_t equals = each.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : each.substr(equals + 1);
    if (Status set = set_option(each.substr(0, equals), value, address, shown); !set) return set;
  }
  return ok();
}

}  // namespace

bool is_address(std::string_view text) {
  const std::string start = lower_case(text.substr(0, 9));
  return start.starts_with("redis://") || start.starts_with("rediss://");
}

bool has_scheme(std::string_view text) {
  return text.find("://") != std::string_view::npos;
}

std::string without_password(const std::string& address) {
  if (!has_scheme(address)) return address;
  const std::size_t start = scheme_end(address);
  const auto [user_info, rest] = halves_of(std::string_view(address).substr(start));
  if (user_info.empty()) {
    // A port that is not a number may be the password of an address without its @host.
    const std::size_t end = port_start(rest);
    const std::string_view port = rest.substr(end, rest.find_first_of("/?", end) - end);
    if (port.find_first_not_of("0123456789") == std::string_view::npos) return address;
    return address.substr(0, start + end) + "***";
  }
  const std::size_t colon = user_info.find(':');
  // Without a colon it is a user, or a password that was typed alone.
  const std::string user(user_info.substr(0, colon == std::string_view::npos ? 0 : colon + 1));
  return address.substr(0, start) + user + "***@" + std::string(rest);
}

Result<Address> Address::parse(const std::string& text) {
  // Without options: people look for one that takes the password.
  const std::string whole = without_password(text), shown = whole.substr(0, whole.find('?'));
  if (!is_address(text)) return invalid(shown + " is not the address of a fleet: write " + std::string(kForm));
  Address address;
  address.tls = lower_case(text.substr(0, 7)) == "rediss:";
  const auto [user_info, rest] = halves_of(std::string_view(text).substr(scheme_end(text)));
  if (!user_info.empty()) {
    const std::size_t colon = user_info.find(':');
    address.user = percent_decoded(user_info.substr(0, colon));
    if (colon != std::string_view::npos) address.password = percent_decoded(user_info.substr(colon + 1));
  }
  if (address.password.empty()) {
    Result<std::string> password = password_from_environment();
    if (!password) return password.error();
    address.password = *std::move(password);
  }
  const std::size_t query = rest.find('?');
  const std::size_t slash = rest.substr(0, query).find('/');
  if (Status set = set_host(rest.substr(0, std::min(slash, query)), address, shown); !set) return set.error();
  std::string_view path = slash == std::string_view::npos ? "" : rest.substr(0, query).substr(slash + 1);
  if (const std::size_t next = path.find('/'); next != std::string_view::npos) {
    const auto db = whole_number(path.substr(0, next), 0, 1'000'000);
    if (!db) return invalid(shown + " has an invalid database: write a number before the name, " + std::string(kForm));
    address.db = *db;
    path.remove_prefix(next + 1);
  }
  address.group = percent_decoded(path);
  if (!is_plain_name(address.group)) {
    return invalid(shown + " has no valid group name (1 to 128 characters of UTF-8 without spaces): write " +
                   std::string(kForm));
  }
  if (query != std::string_view::npos) {
    if (Status set = set_options(rest.substr(query + 1), address, shown); !set) return set.error();
  }
  if (address.expire < kFewestIntervals * address.interval) {
    return invalid(shown + ": expire must be at least " + std::to_string(kFewestIntervals) +
                   " times interval, because a node gives a sign of life only in every fourth");
  }
  return address;
}

std::string Address::server() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Address::shown() const {
  return (tls ? "rediss://" : "redis://") + server() + "/" + std::to_string(db) + "/" + group;
}

}  // namespace bcp::fleet

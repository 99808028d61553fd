// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The address of a fleet's group: redis://[user:password@]host[:port][/db]/name[?node=ID&interval=5&expire=604800]
//
// A password in an address is visible in lists of processes, so it may also be in the environment variable
// GST_BCP_REDIS_PASSWORD, or in the file that GST_BCP_REDIS_PASSWORD_FILE names. shown() never has a password.
//
// Thread safety: values.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::fleet {

// Whether the text begins with redis:// or rediss://, in any case of letters.
bool is_address(std::string_view text);

// Whether the text has "://": if it is not an address, one was meant.
bool has_scheme(std::string_view text);

// The address with *** instead of the password; also of an invalid address, and of one with another scheme. Other texts
// are returned unchanged.
std::string without_password(const std::string& address);

struct Address {
  bool tls = false;
  std::string user, password;  // not percent-encoded; empty: not set
  std::string host;            // a name or a number; IPv6 without brackets
  int port = 6379;
  int db = 0;
  std::string group;  // the last part of the path
  std::string node;   // the id of this node; empty: the caller's default
  std::chrono::milliseconds interval{5000};
  std::chrono::seconds expire{7 * 24 * 3600};

  // Parses, and reads the password from the environment if the address has none. Errors never show the password.
  static Result<Address> parse(const std::string& text);

  // Server, database and group, without user, password and options: the same for all members of a group.
  std::string shown() const;
  // "host:port"
  std::string server() const;
};

}  // namespace bcp::fleet

// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fleet/connection.hpp"

namespace bcp::fleet {
namespace {

constexpr std::size_t kMostShown = 160;

// What an error begins with, and what to say about it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kKnown = {{
    {"WRONGPASS", "refused the user or the password: check both, also in GST_BCP_REDIS_PASSWORD"},
    {"ERR invalid password", "refused the password: check it, also in GST_BCP_REDIS_PASSWORD"},
    {"ERR AUTH", "has no password, or not for this user: remove the password, or set one in Redis"},
    {"ERR Client sent AUTH", "has no password: remove the password from the address and the environment"},
    {"NOAUTH", "requires a password: set GST_BCP_REDIS_PASSWORD"},
    {"DENIED",
     "is in protected mode, which refuses other machines: set a password in Redis (requirepass, or ACL SETUSER)"},
    {"ERR max number of clients", "has too many clients: raise its maxclients"},
    {"NOPERM", "does not allow this user to read and write the keys bcp:*: change its ACL"},
    {"OOM", "is out of memory: raise its maxmemory, or let it remove other keys"},
    {"MISCONF", "does not write because it cannot save to its disk: free space there"},
    {"READONLY", "is a read-only replica: use the address of the primary"},
    {"LOADING", "is still loading its data"},
    {"CLUSTERDOWN", "belongs to a cluster that is down: check its nodes"},
    {"ERR DB index",
     "does not have this database: use a smaller number, usually 0 to 15, or raise databases in its configuration"},
    {"ERR SELECT", "is a cluster, which has only the database 0: write /0/ before the name of the group"},
    {"WRONGTYPE", "has a key of the group with another type: another program uses it; use another group name"},
}};

}  // namespace

std::string explain(const std::string& redis_error) {
  for (const auto& [start, meaning] : kKnown) {
    if (redis_error.starts_with(start)) return std::string(meaning);
  }
  std::string text = redis_error.substr(0, kMostShown);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > 126; }, '?');
  return "answered \"" + text + "\"";
}

}  // namespace bcp::fleet

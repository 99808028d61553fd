// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The keys of a group in Redis, and its index: a hash with one field for each node.
//
//   bcp:GROUP:index       field: the node's id, value: "1 SESSION NUMBER SEEN EXPIRE STATE"
//   bcp:GROUP:node:ID     the node's contribution (contribution.hpp)
//
// SEEN is the time of Redis (seconds since 1970) at which the node was there last; EXPIRE the seconds after which the
// node no longer counts; STATE "here", or "left" after a regular end. No clock of a node is ever compared with another.
//
// Thread safety: values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "fleet/client.hpp"
#include "fleet/contribution.hpp"

namespace bcp::fleet {

inline constexpr std::size_t kMostNodes = 20'000;

struct Entry {
  Stamp stamp;
  std::int64_t seen = 0;
  std::int64_t expire = 0;
  bool left = false;
  bool operator==(const Entry&) const = default;

  bool is_expired(std::int64_t now) const { return now - seen > expire; }
};

std::string index_key(const std::string& group);
std::string node_key(const std::string& group, const std::string& node);

std::string to_text(const Entry& entry);
std::optional<Entry> parse_entry(std::string_view text);

struct Index {
  std::map<std::string, Entry> nodes;
  std::size_t garbage = 0;  // fields that are not entries
  std::size_t bytes = 0;    // of all fields
};
Result<Index> read_index(Client& client);

// The value of a node's key; empty: the key does not exist. Reads no more than a valid value has.
Result<std::string> read_value(Client& client, const std::string& node);

}  // namespace bcp::fleet

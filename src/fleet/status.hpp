// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The nodes of a group as Redis has them, for people. Reads only.
//
// Thread safety: values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/address.hpp"

namespace bcp::fleet {

struct NodeStatus {
  std::string node;
  std::int64_t age = 0;      // seconds since it was there last, by the clock of Redis
  std::int64_t expires = 0;  // seconds until it no longer counts
  bool left = false;         // it ended regularly
  std::uint64_t number = 0;  // how many times its process has written
  std::size_t bytes = 0, unpacked = 0;
  std::string problem = {};  // not empty: its value is not used, and the fields below are 0
  std::string model = {};
  std::size_t labels = 0;
  double samples = 0;
  std::uint64_t feedback = 0;
};

struct GroupStatus {
  std::vector<NodeStatus> nodes;  // by id
  std::size_t garbage = 0;        // fields of the index that are not of gst-bcp
};

Result<GroupStatus> read_status(const Address& address);

}  // namespace bcp::fleet

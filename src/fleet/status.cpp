// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/status.hpp"

#include <algorithm>

#include "fleet/index.hpp"

namespace bcp::fleet {

Result<GroupStatus> read_status(const Address& address) {
  if (Status able = Connection::check(address); !able) return able.error();
  const Stop never;
  Client client(address, never);
  const Result<std::int64_t> now = client.time();
  if (!now) return now.error();
  const Result<Index> index = read_index(client);
  if (!index) return index.error();
  GroupStatus status{{}, index->garbage};
  for (const auto& [id, entry] : index->nodes) {
    NodeStatus& node = status.nodes.emplace_back();
    node.node = id;
    node.age = std::max<std::int64_t>(*now / 1'000'000 - entry.seen, 0);  // the clock of Redis may have been set back
    node.expires = entry.expire - node.age;
    node.left = entry.left;
    node.number = entry.stamp.number;
    const Result<std::string> value = read_value(client, id);
    if (!value && value.error().code != ErrorCode::kInvalid) return value.error();
    if (!value || value->empty()) {
      node.problem = value ? "its key has expired or was removed" : value.error().message;
      continue;
    }
    node.bytes = value->size();
    const Result<Contribution> contribution = unpack(*value);
    if (!contribution) {
      node.problem = "its value " + contribution.error().message;
      continue;
    }
    node.unpacked = contribution->unpacked;
    node.model = contribution->content.model;
    node.labels = contribution->content.labels.size();
    node.samples = contribution->content.seen.samples();
    node.feedback = contribution->content.taught.statements();
  }
  return status;
}

}  // namespace bcp::fleet

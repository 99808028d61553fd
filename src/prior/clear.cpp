// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/clear.hpp"

#include <memory>
#include <numeric>
#include <vector>

namespace bcp::prior {

void clear_learnt(Snapshot& snapshot) {
  snapshot.seen = adapt::Cooccurrence(snapshot.labels.size());
  snapshot.settled = false;
  snapshot.origins.clear();
  snapshot.scenes.clear();
}

void clear_learnt(Snapshot& snapshot, std::size_t label) {
  std::vector<int> from(snapshot.labels.size());
  std::iota(from.begin(), from.end(), 0);
  from[label] = -1;
  snapshot.seen = snapshot.seen.relabelled(from);
  for (StoredScene& each : snapshot.scenes) {
    if (!each.learnt) continue;  // stored alone: its statistics are those of the snapshot
    each.learnt = std::make_shared<const adapt::Bcp>(each.learnt->seen().relabelled(from), each.learnt->settled());
  }
}

}  // namespace bcp::prior

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/merge.hpp"

#include <algorithm>
#include <utility>

namespace bcp::prior {
namespace {

// Does not depend on the order of the arguments, and neither does a union of several.
std::vector<std::string> all_labels(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a == b) return a;
  std::vector<std::string> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Status check_addable(const std::string& model, const std::vector<Origin>& origins, const Snapshot& other) {
  if (!model.empty() && !other.model.empty() && model != other.model) {
    return Error{ErrorCode::kInvalid, " was learnt with another model (" + other.model.substr(0, 12) + " instead of " +
                                          model.substr(0, 12) + "): only files of one model can be merged"};
  }
  for (const Origin& origin : origins) {
    const auto same = std::find_if(other.origins.begin(), other.origins.end(),
                                   [&](const Origin& each) { return is_same_stream(origin, each); });
    if (same == other.origins.end()) continue;
    return Error{ErrorCode::kInvalid, " contains samples of the stream " + same->stream +
                                          " that the others contain too: they would count twice; use only the newest "
                                          "file of a stream"};
  }
  return ok();
}

Snapshot merged(const Snapshot& a, const Snapshot& b) {
  std::vector<std::string> labels = all_labels(a.labels, b.labels);
  adapt::Cooccurrence seen = a.for_labels(labels);
  seen.add(b.for_labels(labels));
  decide::Taught taught = a.taught;
  if (!b.taught.empty()) taught.add(b.taught);
  return {a.model.empty() ? b.model : a.model,
          std::move(labels),
          std::move(seen),
          a.settled || b.settled,
          std::move(taught),
          united(a.origins, b.origins)};
}

}  // namespace bcp::prior

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/siblings.hpp"

#include <algorithm>

namespace bcp::fleet {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes of all unpacked contributions
constexpr std::size_t kSmall = std::size_t{512} << 10;    // one that is larger is never kept

}  // namespace

bool Siblings::has(const std::string& node, const Stamp& stamp) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.stamp.session == stamp.session &&
         found->second.stamp.number >= stamp.number;
}

void Siblings::set(const std::string& node, std::string value, Contribution contribution) {
  Node fresh{contribution.stamp, std::move(value), nullptr, contribution.content.seen.samples(), {}};
  if (!contribution.content.taught.empty()) fresh.taught = contribution.content.taught;
  if (contribution.unpacked <= kSmall && contribution.unpacked * (nodes_.size() + 1) <= kMostKept)
    fresh.content = std::make_shared<prior::Snapshot>(std::move(contribution.content));
  nodes_.insert_or_assign(node, std::move(fresh));
}

void Siblings::refuse(const std::string& node, const Stamp& stamp) {
  nodes_.insert_or_assign(node, Node{.stamp = stamp});
}

std::size_t Siblings::size() const {
  return static_cast<std::size_t>(
      std::count_if(nodes_.begin(), nodes_.end(), [](const auto& each) { return !each.second.value.empty(); }));
}

double Siblings::samples() const {
  double sum = 0;
  for (const auto& [id, node] : nodes_) sum += node.samples;
  return sum;
}

std::shared_ptr<const prior::Snapshot> Siblings::content_of(const Node& node) const {
  if (node.content || node.value.empty()) return node.content;
  Result<Contribution> unpacked = unpack(node.value);
  return unpacked ? std::make_shared<const prior::Snapshot>(std::move(unpacked->content)) : nullptr;
}

std::shared_ptr<const adapt::Others> Siblings::sum_for(const std::vector<std::string>& labels) const {
  std::shared_ptr<adapt::Others> sum;
  for (const auto& [id, node] : nodes_) {
    const auto content = content_of(node);
    if (!content) continue;
    const std::vector<int> rows = adapt::rows_of(labels, content->labels);
    if (std::all_of(rows.begin(), rows.end(), [](int row) { return row < 0; })) continue;
    if (!sum) sum = std::make_shared<adapt::Others>(adapt::Others{adapt::Cooccurrence(labels.size())});
    // A value may have the other storage, which no version of this program has written for so many labels.
    const bool fits = content->labels == labels && content->seen.is_dense() == sum->seen.is_dense();
    fits ? sum->seen.add(content->seen) : sum->seen.add(content->seen.relabelled(rows));
    sum->settled = sum->settled || content->settled;
  }
  if (sum) sum->seen.settle();
  return sum;
}

decide::Taught Siblings::taught() const {
  decide::Taught sum;
  for (const auto& [id, node] : nodes_) {
    if (node.taught) sum.add(*node.taught);
  }
  return sum;
}

}  // namespace bcp::fleet

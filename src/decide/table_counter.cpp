// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/table_counter.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace bcp::decide {
namespace {

constexpr int kHalf = 32;  // bits

}  // namespace

void TableCounter::add(std::span<const std::string> labels) {
  ++pictures_;
  shown_.clear();
  for (const std::string& label : labels) {
    const auto [found, is_new] = index_.try_emplace(label, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) {
      labels_.push_back(label);
      count_.push_back(0);
    }
    shown_.push_back(found->second);
  }
  std::sort(shown_.begin(), shown_.end());
  shown_.erase(std::unique(shown_.begin(), shown_.end()), shown_.end());
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    ++count_[shown_[i]];
    for (std::size_t j = i + 1; j < shown_.size(); ++j)
      ++together_[std::uint64_t{shown_[i]} << kHalf | std::uint64_t{shown_[j]}];
  }
}

PriorTable::Counts TableCounter::counts(std::size_t min_count) const {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < labels_.size(); ++k)
    if (count_[k] >= min_count) kept.push_back(k);
  std::sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(count_[b], labels_[a]) < std::tie(count_[a], labels_[b]);
  });

  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  PriorTable::Counts counts;
  counts.pictures = static_cast<double>(pictures_);
  counts.together.assign(kept.size(), std::vector<double>(kept.size()));
  std::vector<std::size_t> row(labels_.size(), kNone);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    row[kept[i]] = i;
    counts.labels.push_back(labels_[kept[i]]);
    counts.count.push_back(static_cast<double>(count_[kept[i]]));
    counts.together[i][i] = counts.count.back();
  }
  for (const auto& [pair, both] : together_) {
    const std::size_t a = row[pair >> kHalf], b = row[pair & std::numeric_limits<std::uint32_t>::max()];
    if (a == kNone || b == kNone) continue;
    counts.together[a][b] = counts.together[b][a] = static_cast<double>(both);
  }
  return counts;
}

}  // namespace bcp::decide

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/sparse_pairs.hpp"

#include <algorithm>
#include <utility>

#include "adapt/vectors.hpp"

namespace bcp::adapt {
namespace {

// A scale this small is folded into the values: far from underflow, and needed only every twenty half-lives.
constexpr double kSmallestScale = 1e-6;
// A pair forgotten down to this is no longer stored. One sample adds at least kFloor squared, a thousand times more.
constexpr double kForgotten = 1e-9;
// Rows that begin as an estimate, per sample: each reads many groups.
constexpr int kMostEstimated = 2;

}  // namespace

std::size_t SparsePairs::stored() const {
  std::size_t stored = 0;
  for (const auto& row : rows_) stored += row.size();
  return stored;
}

double SparsePairs::stored_at(std::size_t i, std::size_t j) const {
  const auto& row = rows_[std::min(i, j)];
  const auto found = row.find(static_cast<std::uint32_t>(std::max(i, j)));
  return found == row.end() ? 0 : found->second;
}

double SparsePairs::at(std::size_t i, std::size_t j) const {
  double value = scale_ * (stored_at(i, j) + label_rows_.at(i, j) + groups_.at(i, j, label_rows_));
  for (const auto& sample : later_.samples) value = sample.decay * value + sample.p[i] * sample.p[j];
  return value;
}

void SparsePairs::column(std::size_t a, std::span<double> out) const {
  double scale = scale_;
  for (const auto& sample : later_.samples) scale *= sample.decay;
  // A frame may need a hundred columns, so only the stored pairs are visited, not every row.
  std::fill(out.begin(), out.end(), 0.0);
  for (const auto& [j, value] : rows_[a]) out[j] = scale * value;
  for (const std::uint32_t i : before_[a]) out[i] = scale * stored_at(i, a);
  label_rows_.add_column(a, scale, out);
  groups_.add_column(a, scale, label_rows_, out);
  double weight = 1;
  for (auto sample = later_.samples.rbegin(); sample != later_.samples.rend(); ++sample) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += weight * sample->p[a] * sample->p[k];
    weight *= sample->decay;
  }
}

void SparsePairs::learn(std::span<const double> p, double decay, std::uint32_t era) {
  later_.samples.push_back({{p.begin(), p.end()}, decay, era});
  if (held_) return;
  // Two for each new one, so that no frame pays for all that were held.
  for (int i = 0; i < 2 && !later_.samples.empty(); ++i) {
    learn_now(later_.samples.front());
    later_.samples.erase(later_.samples.begin());
  }
}

void SparsePairs::settle() {
  for (const auto& sample : later_.samples) learn_now(sample);
  later_.samples.clear();
}

void SparsePairs::learn_now(const Later::Sample& sample) {
  const std::vector<double>& p = sample.p;
  scale_ *= sample.decay;
  if (scale_ < kSmallestScale) rescale();
  SampleGroup group{1 / scale_, sample.era, std::vector<float>(p.size(), 0.0F), {}};
  active_.clear();
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto mass = static_cast<float>(p[k] / scale_);
    if (p[k] < kFloor) {
      group.faint[k] = mass;
    } else {
      active_.push_back(static_cast<std::uint32_t>(k));
      group.strong.push_back({static_cast<std::uint32_t>(k), mass});
    }
  }
  learn_rows(group, p);
  groups_.add(std::move(group));
  for (std::size_t x = 0; x < active_.size(); ++x) {
    for (std::size_t y = x; y < active_.size(); ++y) add(active_[x], active_[y], p[active_[x]] * p[active_[y]]);
  }
}

void SparsePairs::learn_rows(const SampleGroup& group, std::span<const double> p) {
  int estimated = 0;
  for (const std::uint32_t label : active_) {
    const bool is_first = label_rows_.weight(label) <= 0;
    label_rows_.add_weight(label, p[label] / scale_);
    if (!label_rows_.has(label)) {
      if (!is_first && estimated == kMostEstimated) continue;
      if (!label_rows_.has_room(label)) continue;
      estimated += is_first ? 0 : 1;
      label_rows_.insert(is_first ? LabelRow{label, std::vector<float>(p.size(), 0.0F)} : groups_.estimated_row(label));
    }
    label_rows_.add(label, p[label], group.faint);
  }
}

void SparsePairs::add(SampleGroup group) {
  for (const auto& [label, mass] : group.strong) label_rows_.add_weight(label, double{mass});
  groups_.add(std::move(group));
}

void SparsePairs::add(const LabelRow& row) {
  if (label_rows_.has(row.label))
    label_rows_.add(row.label, 1, row.values);
  else if (label_rows_.has_room(row.label))
    label_rows_.insert(row);
}

void SparsePairs::estimate_rows() {
  for (std::size_t k = 0; k < labels(); ++k) {
    if (label_rows_.weight(k) > 0 && label_rows_.has_room(k)) add(groups_.estimated_row(k));
  }
}

LabelRow SparsePairs::row_of(std::size_t label) const {
  const LabelRow* kept = label_rows_.find(label);
  LabelRow row = kept ? *kept : groups_.estimated_row(label);
  row.scale(scale_);
  return row;
}

void SparsePairs::add(const SparsePairs& other, std::span<const std::uint32_t> eras) {
  for (std::size_t i = 0; i < labels(); ++i)
    other.for_stored(i, [&](std::size_t j, double value) { add(i, j, value); });
  // Rows before groups: the estimates are of each side. The heaviest are kept, from either side.
  std::vector<LabelRow> rows;
  for (std::size_t k = 0; k < labels(); ++k) {
    if (!label_rows_.has(k) && !other.label_rows_.has(k)) continue;
    rows.push_back(row_of(k));
    const LabelRow theirs = other.row_of(k);
    vectors::add_to_floats(1, theirs.values, rows.back().values);
  }
  for (std::size_t k = 0; k < labels(); ++k) label_rows_.add_weight(k, other.scale_ * other.label_rows_.weight(k));
  for (SampleGroup group : other.groups_.all()) {
    group.scale(other.scale_);
    group.era = eras[group.era];
    groups_.add(std::move(group));
  }
  if (other.groups_.are_merged()) groups_.note_merged();
  label_rows_.replace(std::move(rows));
}

void SparsePairs::add(std::size_t i, std::size_t j, double value) {
  const auto [pair, is_new] = rows_[std::min(i, j)].try_emplace(static_cast<std::uint32_t>(std::max(i, j)), 0.0);
  pair->second += value / scale_;
  if (is_new) note_stored(i, j);
}

void SparsePairs::note_stored(std::size_t i, std::size_t j) {
  if (i != j) before_[std::max(i, j)].push_back(static_cast<std::uint32_t>(std::min(i, j)));
}

void SparsePairs::rescale() {
  for (auto& row : rows_) {
    for (auto& pair : row) pair.second *= scale_;
    std::erase_if(row, [](const auto& pair) { return pair.second < kForgotten; });
  }
  for (std::size_t j = 0; j < before_.size(); ++j) {
    std::erase_if(before_[j], [&](std::uint32_t i) { return !rows_[i].contains(static_cast<std::uint32_t>(j)); });
  }
  groups_.scale(scale_, kForgotten);
  label_rows_.scale(scale_, kForgotten);
  scale_ = 1;
}

}  // namespace bcp::adapt

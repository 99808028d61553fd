// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics for another label list: Cooccurrence::relabelled().

#include <algorithm>

#include "adapt/cooccurrence.hpp"

namespace bcp::adapt {

Cooccurrence Cooccurrence::relabelled(std::span<const int> from) const {
  if (!sparse_.later().samples.empty()) {
    Cooccurrence settled = *this;
    settled.settle();
    return settled.relabelled(from);
  }
  Cooccurrence result(from.size());
  const std::vector<std::size_t> eras = take_eras(from, result);
  for (std::size_t e = 0; e < eras.size(); ++e) {
    const Era& here = eras_[eras[e]];
    Era& there = result.eras_[e];
    there.samples = here.samples;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] < 0) continue;
      there.single[i] = here.single[static_cast<std::size_t>(from[i])];
    }
  }
  result.dense_ ? fill_dense(from, result) : fill_sparse(from, eras, result);
  result.limit_eras();
  return result;
}

std::vector<std::size_t> Cooccurrence::take_eras(std::span<const int> from, Cooccurrence& result) const {
  std::vector<std::size_t> taken;  // eras of labels that stay
  for (const int row : from) {
    if (row >= 0) taken.push_back(came_[static_cast<std::size_t>(row)]);
  }
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  // New labels begin an era, unless nothing was learnt since the last one began.
  const bool begun = !taken.empty() && eras_[taken.back()].samples == 0;
  const std::size_t now = begun ? taken.size() - 1 : taken.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t era = from[i] < 0
                                ? now
                                : static_cast<std::size_t>(std::lower_bound(taken.begin(), taken.end(),
                                                                            came_[static_cast<std::size_t>(from[i])]) -
                                                           taken.begin());
    result.came_[i] = static_cast<std::uint32_t>(era);
    if (era >= result.eras_.size()) result.eras_.resize(era + 1, result.eras_[0]);  // all are still empty
  }
  return taken;
}

void Cooccurrence::fill_dense(std::span<const int> from, Cooccurrence& result) const {
  if (dense_) {
    result.triangle_ = triangle_.relabelled(from);
    return;
  }
  // Column by column: a single pair takes as long as a few hundred of a column.
  std::vector<double> packed(Triangle::packed_size(from.size()), 0.0), of(labels());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0) continue;
    column(static_cast<std::size_t>(from[i]), of);
    for (std::size_t j = 0; j <= i; ++j) {
      if (from[j] >= 0) packed[Triangle::packed_size(i) + j] = of[static_cast<std::size_t>(from[j])];
    }
  }
  result.triangle_ = Triangle(from.size(), packed);
}

void Cooccurrence::fill_sparse(std::span<const int> from, std::span<const std::size_t> eras,
                               Cooccurrence& result) const {
  std::vector<int> to(labels(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) to[static_cast<std::size_t>(from[i])] = static_cast<int>(i);
  }
  const auto add = [&](std::size_t i, std::size_t j, double value) {
    if (to[i] >= 0 && to[j] >= 0)
      result.sparse_.add(static_cast<std::size_t>(to[i]), static_cast<std::size_t>(to[j]), value);
  };
  if (!dense_) {
    for (std::size_t i = 0; i < labels(); ++i) {
      sparse_.for_stored(i, [&](std::size_t j, double value) { add(i, j, value); });
    }
    for (const SampleGroup& group : sparse_.groups().all()) {
      // Samples taken while no label of the new list was listed do not count.
      const auto era = std::upper_bound(eras.begin(), eras.end(), group.era) - eras.begin();
      if (era > 0) result.sparse_.add(group.relabelled(from, to, static_cast<std::uint32_t>(era - 1), sparse_.scale()));
    }
    for (const LabelRow& row : sparse_.label_rows().all()) {
      if (to[row.label] < 0) continue;
      LabelRow there{static_cast<std::uint32_t>(to[row.label]), std::vector<float>(from.size(), 0.0F)};
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] >= 0) there.values[i] = row.values[static_cast<std::size_t>(from[i])];
      }
      there.scale(sparse_.scale());
      result.sparse_.add(there);
    }
    if (sparse_.groups().are_merged()) result.sparse_.note_merged();
    return;
  }
  // Row k of U adds up to m_k, so what a row loses here to pairs too small to store is its faint part.
  const std::span<const double> m = single();
  std::vector<double> faint(m.begin(), m.end());
  std::vector<double> row(labels());
  for (std::size_t i = 0; i < labels(); ++i) {
    triangle_.row(i, std::span(row).first(i + 1));
    for (std::size_t j = 0; j <= i; ++j) {
      if (row[j] < kFloor * kFloor) continue;
      add(i, j, row[j]);
      faint[i] -= row[j];
      if (i != j) faint[j] -= row[j];
    }
  }
  for (Era& era : result.eras_) {
    era.faint.assign(from.size(), 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t k = from[i] < 0 ? labels() : static_cast<std::size_t>(from[i]);
      // The era of the faint part is not known, so it is spread evenly.
      if (k < labels() && m[k] > 0) era.faint[i] = std::max(faint[k], 0.0) * (era.single[i] / m[k]);
    }
  }
  result.add_groups_of_eras();
  for (Era& era : result.eras_) era.faint.clear();
}

}  // namespace bcp::adapt

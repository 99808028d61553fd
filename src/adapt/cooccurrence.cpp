// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/cooccurrence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace bcp::adapt {
namespace {

// A sparse scale this small is folded into the values: far from underflow, and needed only every twenty half-lives.
constexpr double kSmallestScale = 1e-6;
// A pair forgotten down to this is no longer stored. One sample adds at least kFloor squared, a thousand times more.
constexpr double kForgotten = 1e-9;

Cooccurrence::Era empty_era(std::size_t labels, bool dense) {
  return {0, std::vector<double>(labels, 0.0), std::vector<double>(dense ? 0 : labels, 0.0)};
}

}  // namespace

std::vector<int> rows_of(std::span<const std::string> wanted, std::span<const std::string> known) {
  std::unordered_map<std::string_view, int> rows;
  for (std::size_t i = 0; i < known.size(); ++i) rows.emplace(known[i], static_cast<int>(i));
  std::vector<int> found;
  found.reserve(wanted.size());
  for (const std::string& name : wanted) {
    const auto row = rows.find(name);
    found.push_back(row == rows.end() ? -1 : row->second);
  }
  return found;
}

Cooccurrence::Cooccurrence(std::size_t labels, Storage storage)
    : dense_(storage == Storage::kAuto ? labels <= kDenseLabels : storage == Storage::kDense),
      eras_{empty_era(labels, dense_)},
      came_(labels, 0),
      triangle_(dense_ ? labels : 0) {
  if (dense_) return;
  rows_.resize(labels);
  before_.resize(labels);
  active_.reserve(labels);
}

Cooccurrence::Cooccurrence(Parts parts)
    : dense_(parts.dense),
      eras_(std::move(parts.eras)),
      came_(std::move(parts.came)),
      triangle_(dense_ ? came_.size() : 0, parts.triangle) {
  if (dense_) return;
  rows_.resize(labels());
  before_.resize(labels());
  active_.reserve(labels());
  for (const auto& [i, j, value] : parts.stored) {
    if (rows_[i].emplace(j, value).second) note_stored(i, j);
  }
}

Cooccurrence::Parts Cooccurrence::parts() const {
  Parts parts{dense_, eras_, came_, triangle_.packed(), {}};
  parts.stored.reserve(dense_ ? 0 : stored_pairs());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const auto& [j, value] : rows_[i]) parts.stored.push_back({static_cast<std::uint32_t>(i), j, value * scale_});
  }
  return parts;
}

std::size_t Cooccurrence::stored_pairs() const {
  if (dense_) return Triangle::packed_size(labels());
  std::size_t stored = 0;
  for (const auto& row : rows_) stored += row.size();
  return stored;
}

double Cooccurrence::pair(std::size_t i, std::size_t j) const {
  if (dense_) return triangle_.at(i, j);
  return with_unstored(i, j, stored_sparse(i, j));
}

double Cooccurrence::with_unstored(std::size_t i, std::size_t j, double stored) const {
  const auto& [n, m, r] = era(i, j);
  const double unstored = (r[i] * m[j] + (m[i] - r[i]) * r[j]) / std::max(n, 1.0);
  // After a change from dense storage with dropped labels, the faint part may be too large.
  return std::min({stored + unstored, m[i], m[j]});
}

void Cooccurrence::column(std::size_t a, std::span<double> out) const {
  if (dense_) return triangle_.column(a, out);
  // A frame may need a hundred columns, so only the stored pairs are visited, not every row.
  std::fill(out.begin(), out.end(), 0.0);
  for (const auto& [j, value] : rows_[a]) out[j] = value * scale_;
  for (const std::uint32_t i : before_[a]) out[i] = stored_sparse(i, a);
  for (std::size_t k = 0; k < labels(); ++k) out[k] = with_unstored(k, a, out[k]);
}

void Cooccurrence::learn(std::span<const double> p, double decay) {
  dense_ ? triangle_.learn(p, decay) : learn_sparse(p, decay, eras_.size());
  count(p, decay, eras_.size());
}

bool Cooccurrence::learn_before(std::span<const double> p, std::span<const int> from, double decay) {
  std::size_t eras = eras_.size();  // without the era of the new labels
  for (std::size_t i = 0; i < labels(); ++i) {
    if (from[i] < 0) eras = came_[i];
  }
  std::vector<double> here(labels(), 0.0);
  for (std::size_t i = 0; i < labels(); ++i) {
    if (from[i] < 0) continue;
    if (came_[i] >= eras) return false;
    here[i] = p[static_cast<std::size_t>(from[i])];
  }
  dense_ ? triangle_.learn_later(here, decay) : learn_sparse(here, decay, eras);
  count(here, decay, eras);
  return true;
}

void Cooccurrence::count(std::span<const double> p, double decay, std::size_t eras) {
  const vectors::Term sample{1, p.data()};
  for (Era& era : std::span(eras_).first(eras)) {
    vectors::combine(decay, era.single.data(), std::span(&sample, 1), era.single);
    era.samples = decay * era.samples + 1;
  }
}

void Cooccurrence::learn_sparse(std::span<const double> p, double decay, std::size_t eras) {
  scale_ *= decay;
  if (scale_ < kSmallestScale) rescale();
  active_.clear();
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] >= kFloor) active_.push_back(static_cast<std::uint32_t>(k));
  }
  for (Era& era : std::span(eras_).first(eras)) {
    for (std::size_t k = 0; k < p.size(); ++k) era.faint[k] = decay * era.faint[k] + (p[k] >= kFloor ? 0 : p[k]);
  }
  for (std::size_t x = 0; x < active_.size(); ++x) {
    for (std::size_t y = x; y < active_.size(); ++y) add_sparse(active_[x], active_[y], p[active_[x]] * p[active_[y]]);
  }
}

void Cooccurrence::add_sparse(std::size_t i, std::size_t j, double value) {
  const auto [pair, is_new] = rows_[std::min(i, j)].try_emplace(static_cast<std::uint32_t>(std::max(i, j)), 0.0);
  pair->second += value / scale_;
  if (is_new) note_stored(i, j);
}

void Cooccurrence::note_stored(std::size_t i, std::size_t j) {
  if (i != j) before_[std::max(i, j)].push_back(static_cast<std::uint32_t>(std::min(i, j)));
}

double Cooccurrence::stored_sparse(std::size_t i, std::size_t j) const {
  const auto& row = rows_[std::min(i, j)];
  const auto found = row.find(static_cast<std::uint32_t>(std::max(i, j)));
  return found == row.end() ? 0 : found->second * scale_;
}

void Cooccurrence::rescale() {
  for (auto& row : rows_) {
    for (auto& pair : row) pair.second *= scale_;
    std::erase_if(row, [](const auto& pair) { return pair.second < kForgotten; });
  }
  for (std::size_t j = 0; j < before_.size(); ++j) {
    std::erase_if(before_[j], [&](std::uint32_t i) { return !rows_[i].contains(static_cast<std::uint32_t>(j)); });
  }
  scale_ = 1;
}

Cooccurrence::Drift Cooccurrence::drift(std::span<const double> p, double decay) const {
  const double n = samples();
  const double after = decay * n + 1;
  const double size = static_cast<double>(labels());
  // (decay u + added) / after - u / n, except the division by `after`: the decays cancel.
  const double singles = vectors::distance(1, p, 1 / n, single());
  double pairs = 0;
  if (dense_) {
    std::vector<double> row(labels());
    for (std::size_t i = 0; i < labels(); ++i) {
      const auto u = std::span(row).first(i + 1);
      triangle_.row(i, u);
      pairs += 2 * vectors::distance(p[i], p.first(i), 1 / n, u.first(i)) + std::abs(p[i] * p[i] - u[i] / n);
    }
  } else {
    // Pairs that are not stored and would not be stored do not move.
    const auto added = [&](std::size_t i, std::size_t j) { return p[i] >= kFloor && p[j] >= kFloor ? p[i] * p[j] : 0; };
    for (std::size_t i = 0; i < labels(); ++i) {
      for (const auto& [j, u] : rows_[i]) pairs += (i == j ? 1 : 2) * std::abs(added(i, j) - u * scale_ / n);
      if (p[i] < kFloor) continue;
      for (std::size_t j = i; j < labels(); ++j) {
        if (p[j] >= kFloor && !rows_[i].contains(static_cast<std::uint32_t>(j)))
          pairs += (i == j ? 1 : 2) * p[i] * p[j];
      }
    }
  }
  return {pairs / after / (size * size), singles / after / size};
}

void Cooccurrence::add(const Cooccurrence& other) {
  const auto add_up = [](std::vector<double>& sum, const std::vector<double>& values) {
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
  };
  // A label has the samples of its era here and of its era there: each pair of eras becomes one era.
  using Both = std::pair<std::uint32_t, std::uint32_t>;
  const auto of_label = [&](std::size_t k) { return Both(came_[k], other.came_[k]); };
  std::set<Both> all;
  for (std::size_t k = 0; k < labels(); ++k) all.insert(of_label(k));
  std::vector<Both> order(all.begin(), all.end());
  std::stable_sort(order.begin(), order.end(), [&](const Both& x, const Both& y) {
    return eras_[x.first].samples + other.eras_[x.second].samples >
           eras_[y.first].samples + other.eras_[y.second].samples;
  });
  std::vector<Era> eras;
  for (const auto& [here, there] : order) {
    Era& era = eras.emplace_back(eras_[here]);
    era.samples += other.eras_[there].samples;
    add_up(era.single, other.eras_[there].single);
    add_up(era.faint, other.eras_[there].faint);
  }
  for (std::size_t k = 0; k < labels(); ++k) {
    came_[k] = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), of_label(k)) - order.begin());
  }
  if (!eras.empty()) eras_ = std::move(eras);  // else there are no labels
  limit_eras();
  if (dense_) triangle_.add(other.triangle_);
  for (std::size_t i = 0; i < other.rows_.size(); ++i) {
    for (const auto& [j, value] : other.rows_[i]) add_sparse(i, j, value * other.scale_);
  }
}

void Cooccurrence::limit_eras() {
  while (eras_.size() > kMostEras) {
    std::size_t nearest = 1;
    const auto ratio = [&](std::size_t e) { return eras_[e].samples / eras_[e - 1].samples; };
    for (std::size_t e = 2; e < eras_.size(); ++e) {
      if (ratio(e) > ratio(nearest)) nearest = e;
    }
    eras_.erase(eras_.begin() + static_cast<std::ptrdiff_t>(nearest));
    for (std::uint32_t& era : came_) era -= era >= nearest ? 1 : 0;
  }
}

Cooccurrence Cooccurrence::relabelled(std::span<const int> from) const {
  Cooccurrence result(from.size());
  const std::vector<std::size_t> eras = take_eras(from, result);
  for (std::size_t e = 0; e < eras.size(); ++e) {
    const Era& here = eras_[eras[e]];
    Era& there = result.eras_[e];
    there.samples = here.samples;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] < 0) continue;
      there.single[i] = here.single[static_cast<std::size_t>(from[i])];
      if (!dense_ && !result.dense_) there.faint[i] = here.faint[static_cast<std::size_t>(from[i])];
    }
  }
  result.dense_ ? fill_dense(from, result) : fill_sparse(from, result);
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
  std::vector<double> packed(Triangle::packed_size(from.size()), 0.0);
  double* row = packed.data();
  for (std::size_t i = 0; i < from.size(); row += ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (from[i] >= 0 && from[j] >= 0)
        row[j] = pair(static_cast<std::size_t>(from[i]), static_cast<std::size_t>(from[j]));
    }
  }
  result.triangle_ = Triangle(from.size(), packed);
}

void Cooccurrence::fill_sparse(std::span<const int> from, Cooccurrence& result) const {
  std::vector<int> to(labels(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) to[static_cast<std::size_t>(from[i])] = static_cast<int>(i);
  }
  const auto add = [&](std::size_t i, std::size_t j, double value) {
    if (to[i] >= 0 && to[j] >= 0)
      result.add_sparse(static_cast<std::size_t>(to[i]), static_cast<std::size_t>(to[j]), value);
  };
  if (!dense_) {
    for (std::size_t i = 0; i < labels(); ++i) {
      for (const auto& [j, value] : rows_[i]) add(i, j, value * scale_);
    }
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
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t k = from[i] < 0 ? labels() : static_cast<std::size_t>(from[i]);
      // The era of the faint part is not known, so it is spread evenly.
      if (k < labels() && m[k] > 0) era.faint[i] = std::max(faint[k], 0.0) * (era.single[i] / m[k]);
    }
  }
}

}  // namespace bcp::adapt

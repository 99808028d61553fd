// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/cooccurrence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace bcp::adapt {
namespace {

constexpr std::size_t row_start(std::size_t i) {
  return i * (i + 1) / 2;
}

// A sparse scale this small is folded into the values: far from underflow, and twenty half-lives apart.
constexpr double kSmallestScale = 1e-6;
// A pair forgotten down to this is no longer stored. One sample adds at least kFloor squared, a thousand times more.
constexpr double kForgotten = 1e-9;

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
    : dense_(storage == Storage::kAuto ? labels <= kDenseLabels : storage == Storage::kDense), single_(labels, 0.0) {
  if (dense_) {
    triangle_.assign(row_start(labels), 0.0);
  } else {
    rows_.resize(labels);
    faint_.assign(labels, 0.0);
    active_.reserve(labels);
  }
}

Cooccurrence::Cooccurrence(Parts parts) : Cooccurrence(0, parts.dense ? Storage::kDense : Storage::kSparse) {
  samples_ = parts.samples;
  single_ = std::move(parts.single);
  triangle_ = std::move(parts.triangle);
  faint_ = std::move(parts.faint);
  if (dense_) return;
  rows_.resize(single_.size());
  active_.reserve(single_.size());
  for (const auto& [i, j, value] : parts.stored) rows_[i].emplace(j, value);
}

Cooccurrence::Parts Cooccurrence::parts() const {
  Parts parts{dense_, samples_, single_, triangle_, faint_, {}};
  parts.stored.reserve(dense_ ? 0 : stored_pairs());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const auto& [j, value] : rows_[i]) parts.stored.push_back({static_cast<std::uint32_t>(i), j, value * scale_});
  }
  return parts;
}

std::size_t Cooccurrence::stored_pairs() const {
  if (dense_) return triangle_.size();
  std::size_t stored = 0;
  for (const auto& row : rows_) stored += row.size();
  return stored;
}

double Cooccurrence::pair(std::size_t i, std::size_t j) const {
  if (dense_) return triangle_[row_start(std::max(i, j)) + std::min(i, j)];
  const double unstored = (faint_[i] * single_[j] + (single_[i] - faint_[i]) * faint_[j]) / std::max(samples_, 1.0);
  // What came from dense storage with labels since dropped may be faint out of all proportion.
  return std::min({stored_sparse(i, j) + unstored, single_[i], single_[j]});
}

void Cooccurrence::column(std::size_t a, std::span<double> out) const {
  for (std::size_t k = 0; k < labels(); ++k) out[k] = pair(k, a);
}

void Cooccurrence::learn(std::span<const double> p, double decay) {
  dense_ ? learn_dense(p, decay) : learn_sparse(p, decay);
  for (std::size_t k = 0; k < labels(); ++k) single_[k] = decay * single_[k] + p[k];
  samples_ = decay * samples_ + 1;
}

void Cooccurrence::learn_dense(std::span<const double> p, double decay) {
  double* row = triangle_.data();
  const double* probability = p.data();
  for (std::size_t i = 0; i < p.size(); row += ++i) {
    const double weight = probability[i];
    if (decay == 1) {
      for (std::size_t j = 0; j <= i; ++j) row[j] += weight * probability[j];
    } else {
      for (std::size_t j = 0; j <= i; ++j) row[j] = decay * row[j] + weight * probability[j];
    }
  }
}

void Cooccurrence::learn_sparse(std::span<const double> p, double decay) {
  scale_ *= decay;
  if (scale_ < kSmallestScale) rescale();
  active_.clear();
  for (std::size_t k = 0; k < p.size(); ++k) {
    faint_[k] *= decay;
    if (p[k] >= kFloor) {
      active_.push_back(static_cast<std::uint32_t>(k));
    } else {
      faint_[k] += p[k];
    }
  }
  for (std::size_t x = 0; x < active_.size(); ++x) {
    for (std::size_t y = x; y < active_.size(); ++y) add_sparse(active_[x], active_[y], p[active_[x]] * p[active_[y]]);
  }
}

void Cooccurrence::add_sparse(std::size_t i, std::size_t j, double value) {
  rows_[std::min(i, j)][static_cast<std::uint32_t>(std::max(i, j))] += value / scale_;
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
  scale_ = 1;
}

Cooccurrence::Drift Cooccurrence::drift(std::span<const double> p, double decay) const {
  const double after = decay * samples_ + 1;
  // |(decay u + added) / after - u / samples|
  const auto moved = [&](double u, double added) { return std::abs((decay * u + added) / after - u / samples_); };
  const double size = static_cast<double>(labels());
  double pairs = 0, singles = 0;
  for (std::size_t k = 0; k < labels(); ++k) singles += moved(single_[k], p[k]);
  if (dense_) {
    const double* row = triangle_.data();
    for (std::size_t i = 0; i < labels(); row += ++i) {
      double below = 0;
      for (std::size_t j = 0; j < i; ++j) below += moved(row[j], p[i] * p[j]);
      pairs += 2 * below + moved(row[i], p[i] * p[i]);
    }
  } else {
    // Pairs that are not stored and would not be stored do not move.
    const auto added = [&](std::size_t i, std::size_t j) { return p[i] >= kFloor && p[j] >= kFloor ? p[i] * p[j] : 0; };
    for (std::size_t i = 0; i < labels(); ++i) {
      for (const auto& [j, u] : rows_[i]) pairs += (i == j ? 1 : 2) * moved(u * scale_, added(i, j));
      if (p[i] < kFloor) continue;
      for (std::size_t j = i; j < labels(); ++j) {
        if (p[j] >= kFloor && !rows_[i].contains(static_cast<std::uint32_t>(j)))
          pairs += (i == j ? 1 : 2) * moved(0, p[i] * p[j]);
      }
    }
  }
  return {pairs / (size * size), singles / size};
}

void Cooccurrence::add(const Cooccurrence& other) {
  const auto add_up = [](std::vector<double>& sum, const std::vector<double>& values) {
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
  };
  samples_ += other.samples_;
  add_up(single_, other.single_);
  add_up(triangle_, other.triangle_);
  add_up(faint_, other.faint_);
  for (std::size_t i = 0; i < other.rows_.size(); ++i) {
    for (const auto& [j, value] : other.rows_[i]) add_sparse(i, j, value * other.scale_);
  }
}

Cooccurrence Cooccurrence::relabelled(std::span<const int> from) const {
  Cooccurrence result(from.size());
  // Samples that none of the labels was seen in would make all that is learnt from here on look rare by itself, and so
  // each two of the new labels look as if they belonged together.
  if (std::none_of(from.begin(), from.end(), [](int row) { return row >= 0; })) return result;
  result.samples_ = samples_;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) result.single_[i] = single_[static_cast<std::size_t>(from[i])];
  }
  result.dense_ ? fill_dense(from, result) : fill_sparse(from, result);
  return result;
}

void Cooccurrence::fill_dense(std::span<const int> from, Cooccurrence& result) const {
  double* row = result.triangle_.data();
  for (std::size_t i = 0; i < from.size(); row += ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (from[i] >= 0 && from[j] >= 0)
        row[j] = pair(static_cast<std::size_t>(from[i]), static_cast<std::size_t>(from[j]));
    }
  }
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
  std::vector<double> faint = faint_;
  if (!dense_) {
    for (std::size_t i = 0; i < labels(); ++i) {
      for (const auto& [j, value] : rows_[i]) add(i, j, value * scale_);
    }
  } else {
    // Row k of U adds up to m_k, so what a row loses here to pairs too small to store is its faint part.
    faint.assign(single_.begin(), single_.end());
    const double* row = triangle_.data();
    for (std::size_t i = 0; i < labels(); row += ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (row[j] < kFloor * kFloor) continue;
        add(i, j, row[j]);
        faint[i] -= row[j];
        if (i != j) faint[j] -= row[j];
      }
    }
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) result.faint_[i] = std::max(faint[static_cast<std::size_t>(from[i])], 0.0);
  }
}

}  // namespace bcp::adapt

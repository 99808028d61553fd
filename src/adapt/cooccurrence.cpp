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

constexpr std::size_t kRowsAtOnce = 64;  // of a copy: a quarter of a millisecond at 2,000 labels

Cooccurrence::Era empty_era(std::size_t labels) {
  return {0, std::vector<double>(labels, 0.0), {}};
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
      eras_{empty_era(labels)},
      came_(labels, 0),
      triangle_(dense_ ? labels : 0),
      sparse_(dense_ ? 0 : labels) {}

Cooccurrence::Cooccurrence(Parts parts)
    : dense_(parts.dense),
      eras_(std::move(parts.eras)),
      came_(std::move(parts.came)),
      triangle_(dense_ ? came_.size() : 0, parts.triangle),
      sparse_(dense_ ? 0 : came_.size()) {
  if (dense_) return;
  for (const auto& [i, j, value] : parts.stored) sparse_.add(i, j, value);
  if (parts.groups.empty()) add_groups_of_eras();
  for (SampleGroup& group : parts.groups) sparse_.add(std::move(group));
  for (const LabelRow& row : parts.rows) sparse_.add(row);
  parts.rows.empty() ? sparse_.estimate_rows() : sparse_.note_merged();
  for (Era& era : eras_) era.faint.clear();
}

// Within an era faint labels count as independent: all that is known of a file without groups.
void Cooccurrence::add_groups_of_eras() {
  for (std::uint32_t e = 0; e < eras_.size(); ++e) {
    const Era nothing = {0, std::vector<double>(labels(), 0.0), std::vector<double>(labels(), 0.0)};
    const Era &era = eras_[e], &later = e + 1 < eras_.size() ? eras_[e + 1] : nothing;
    SampleGroup group{era.samples - later.samples, e, std::vector<float>(labels()), {}};
    if (!(group.samples > 0)) continue;
    double faint = 0;
    for (std::size_t k = 0; k < labels(); ++k) {
      const double mass = std::clamp(era.single[k] - later.single[k], 0.0, group.samples);
      const double part = std::clamp(era.faint[k] - later.faint[k], 0.0, mass);
      group.faint[k] = static_cast<float>(part);
      if (mass > part) group.strong.push_back({static_cast<std::uint32_t>(k), static_cast<float>(mass - part)});
      faint += part;
    }
    if (faint > 0) sparse_.add(std::move(group));
  }
}

void Cooccurrence::add_faint(Parts& parts) {
  const std::size_t labels = parts.came.size();
  for (Era& era : parts.eras) era.faint.assign(labels, 0.0);
  for (const SampleGroup& group : parts.groups) {
    const vectors::FloatTerm term{1, group.faint.data()};
    for (std::uint32_t e = 0; e <= group.era && e < parts.eras.size(); ++e)
      vectors::add_floats(std::span(&term, 1), parts.eras[e].faint);
  }
  // Sums of floats, so they may exceed the label's by rounding.
  for (Era& era : parts.eras) {
    for (std::size_t k = 0; k < labels; ++k) era.faint[k] = std::min(era.faint[k], era.single[k]);
  }
}

// Sums of floats: after very many samples they may exceed what is possible by more than a reader would accept.
void Cooccurrence::limit_rows(Parts& parts) {
  const std::vector<double>& m = parts.eras[0].single;
  for (LabelRow& row : parts.rows) {
    for (std::size_t k = 0; k < row.values.size(); ++k)
      row.values[k] = std::min(row.values[k], static_cast<float>(std::min(m[row.label], m[k])));
  }
}

Cooccurrence::Parts Cooccurrence::parts() const {
  return *copy({eras_, triangle_.waiting(), sparse_.later()}, [](const auto& part) {
    part();
    return true;
  });
}

Cooccurrence::Mark Cooccurrence::hold() {
  triangle_.hold(true);
  sparse_.hold(true);
  return {eras_, triangle_.waiting(), sparse_.later()};
}

void Cooccurrence::release() {
  triangle_.hold(false);
  sparse_.hold(false);
}

void Cooccurrence::settle() {
  triangle_.settle();
  sparse_.settle();
}

// Reads nothing of this instance outside of run(): once that returns false, another thread may replace it.
std::optional<Cooccurrence::Parts> Cooccurrence::copy(const Mark& mark, const Run& run) const {
  Parts parts;
  std::size_t count = 0, groups = 0, rows = 0;
  const auto begin = [&] {
    count = labels();
    groups = sparse_.groups().all().size();
    if (sparse_.groups().are_merged()) rows = sparse_.label_rows().all().size();
    parts = {dense_, mark.eras, came_, {}, {}, {}, {}};
  };
  if (!run(begin)) return std::nullopt;
  const auto for_rows = [&](const auto& do_row) {
    for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
      const auto some = [&] {
        for (std::size_t i = first; i < std::min(first + kRowsAtOnce, count); ++i) do_row(i);
      };
      if (!run(some)) return false;
    }
    return true;
  };
  if (parts.dense) {
    parts.triangle.resize(Triangle::packed_size(count));
    const auto copy_row = [&](std::size_t i) {
      triangle_.row(i, mark.waiting, std::span(parts.triangle).subspan(Triangle::packed_size(i), i + 1));
    };
    if (!for_rows(copy_row)) return std::nullopt;
    return parts;
  }
  const auto copy_pairs = [&](std::size_t i) {
    sparse_.for_stored(i, [&](std::uint32_t j, double value) {
      parts.stored.push_back({static_cast<std::uint32_t>(i), j, value});
    });
  };
  if (!for_rows(copy_pairs)) return std::nullopt;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto copy_group = [&] {
      parts.groups.push_back(sparse_.groups().all()[g]);
      parts.groups.back().scale(sparse_.scale());
    };
    if (!run(copy_group)) return std::nullopt;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const auto copy_row = [&] {
      parts.rows.push_back(sparse_.label_rows().all()[r]);
      parts.rows.back().scale(sparse_.scale());
    };
    if (!run(copy_row)) return std::nullopt;
  }
  std::sort(parts.rows.begin(), parts.rows.end(),
            [](const LabelRow& x, const LabelRow& y) { return x.label < y.label; });
  if (mark.later.samples.empty()) {
    add_faint(parts);
    limit_rows(parts);
    return parts;
  }
  Cooccurrence whole(std::move(parts));
  for (const auto& [p, decay, era] : mark.later.samples) whole.sparse_.learn(p, decay, era);
  return whole.parts();
}

std::size_t Cooccurrence::stored_pairs() const {
  return dense_ ? Triangle::packed_size(labels()) : sparse_.stored();
}

double Cooccurrence::pair(std::size_t i, std::size_t j) const {
  if (dense_) return triangle_.at(i, j);
  // Groups of several samples may exceed the bound.
  const std::vector<double>& m = era(i, j).single;
  return std::min({sparse_.at(i, j), m[i], m[j]});
}

void Cooccurrence::column(std::size_t a, std::span<double> out) const {
  if (dense_) return triangle_.column(a, out);
  sparse_.column(a, out);
  for (std::size_t k = 0; k < labels(); ++k) {
    const std::vector<double>& m = era(k, a).single;
    out[k] = std::min({out[k], m[k], m[a]});
  }
}

void Cooccurrence::learn(std::span<const double> p, double decay) {
  dense_ ? triangle_.learn(p, decay) : sparse_.learn(p, decay, static_cast<std::uint32_t>(eras_.size() - 1));
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
  dense_ ? triangle_.learn_later(here, decay) : sparse_.learn(here, decay, static_cast<std::uint32_t>(eras - 1));
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

// (decay u + added) / after - u / n, except the division by `after`: the decays cancel.
double Cooccurrence::single_drift(std::span<const double> p, double decay) const {
  const double n = samples();
  return vectors::distance(1, p, 1 / n, single()) / (decay * n + 1) / static_cast<double>(labels());
}

double Cooccurrence::pair_drift(std::span<const double> p, double decay) const {
  const double n = samples();
  const double size = static_cast<double>(labels());
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
      sparse_.for_stored(i,
                         [&](std::size_t j, double u) { pairs += (i == j ? 1 : 2) * std::abs(added(i, j) - u / n); });
      if (p[i] < kFloor) continue;
      for (std::size_t j = i; j < labels(); ++j) {
        if (p[j] >= kFloor && !sparse_.is_stored(i, j)) pairs += (i == j ? 1 : 2) * p[i] * p[j];
      }
    }
  }
  return pairs / (decay * n + 1) / (size * size);
}

void Cooccurrence::add(const Cooccurrence& other) {
  if (!other.sparse_.later().samples.empty()) {
    Cooccurrence settled = other;
    settled.settle();
    return add(settled);
  }
  settle();
  const auto add_up = [](std::vector<double>& sum, const std::vector<double>& values) {
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
  };
  // A label has the samples of its era here and of its era there: each pair of eras becomes one era.
  using Both = std::pair<std::uint32_t, std::uint32_t>;
  const auto of_label = [&](std::size_t k) { return Both(came_[k], other.came_[k]); };
  std::set<Both> all;
  for (std::size_t k = 0; k < labels(); ++k) all.insert(of_label(k));
  std::vector<Both> order(all.begin(), all.end());
  const auto sum_of = [&](const Both& both) {
    Era era = eras_[both.first];
    era.samples += other.eras_[both.second].samples;
    add_up(era.single, other.eras_[both.second].single);
    return era;
  };
  // Eras of the same length are ordered by their content, not by which side they come from: adding is commutative.
  std::stable_sort(order.begin(), order.end(), [&](const Both& x, const Both& y) {
    const double of_x = eras_[x.first].samples + other.eras_[x.second].samples,
                 of_y = eras_[y.first].samples + other.eras_[y.second].samples;
    return of_x != of_y ? of_x > of_y : sum_of(x).single > sum_of(y).single;
  });
  std::vector<Era> eras;
  for (const Both& both : order) eras.push_back(sum_of(both));
  for (std::size_t k = 0; k < labels(); ++k) {
    came_[k] = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), of_label(k)) - order.begin());
  }
  // A group belongs to the last era that all its labels are in.
  std::vector<std::uint32_t> here(eras_.size(), 0), there(other.eras_.size(), 0);
  for (std::uint32_t e = 0; e < order.size(); ++e) {
    std::fill(here.begin() + order[e].first, here.end(), e);
    std::fill(there.begin() + order[e].second, there.end(), e);
  }
  if (!eras.empty()) eras_ = std::move(eras);  // else there are no labels
  if (dense_) {
    triangle_.add(other.triangle_);
  } else {
    sparse_.rescale();
    sparse_.renumber_eras(here);
    sparse_.add(other.sparse_, there);
  }
  limit_eras();
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
    std::vector<std::uint32_t> to(eras_.size() + 1);
    for (std::uint32_t e = 0; e < to.size(); ++e) to[e] = e - (e >= nearest ? 1 : 0);
    if (!dense_) sparse_.renumber_eras(to);
  }
}

}  // namespace bcp::adapt

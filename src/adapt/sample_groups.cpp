// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/sample_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "adapt/vectors.hpp"

namespace bcp::adapt {
namespace {

constexpr std::size_t kNumbers = std::size_t{1} << 21, kFewestGroups = 64, kMostGroups = 1024;
constexpr std::size_t kTermsAtOnce = 8;
constexpr double kFaintest = 1e-12;  // smaller means are as good as equal: no correction depends on them

double strong_of(const SampleGroup& group, std::size_t label) {
  const auto found = std::lower_bound(group.strong.begin(), group.strong.end(), label,
                                      [](const SampleGroup::Strong& each, std::size_t k) { return each.label < k; });
  return found != group.strong.end() && found->label == label ? double{found->mass} : 0;
}

}  // namespace

void SampleGroup::scale(double factor) {
  samples *= factor;
  for (float& mass : faint) mass *= static_cast<float>(factor);
  for (Strong& each : strong) each.mass *= static_cast<float>(factor);
}

SampleGroup SampleGroup::relabelled(std::span<const int> from, std::span<const int> to, std::uint32_t new_era,
                                    double factor) const {
  SampleGroup result{samples, new_era, std::vector<float>(from.size(), 0.0F), {}};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) result.faint[i] = faint[static_cast<std::size_t>(from[i])];
  }
  for (const Strong& each : strong) {
    if (to[each.label] >= 0) result.strong.push_back({static_cast<std::uint32_t>(to[each.label]), each.mass});
  }
  std::sort(result.strong.begin(), result.strong.end(),
            [](const Strong& a, const Strong& b) { return a.label < b.label; });
  result.scale(factor);
  return result;
}

std::size_t SampleGroups::most_groups(std::size_t labels) {
  return std::clamp(kNumbers / std::max<std::size_t>(labels, 1), kFewestGroups, kMostGroups);
}

void SampleGroups::add(SampleGroup group) {
  groups_.push_back(std::move(group));
  // Before there are too many, too: measuring all distances at once would take long.
  for (std::size_t g = probes_.size(); g < groups_.size(); ++g) {
    probes_.emplace_back();
    distances_.emplace_back(g);
    probe(g);
  }
  if (groups_.size() > most_groups(labels_)) merge_nearest();
}

void SampleGroups::add_column(std::size_t a, double scale, const LabelRows& rows, std::span<double> out) const {
  const bool has_row = rows.has(a);
  // Several groups at once, so that `out` is loaded and stored less often.
  std::array<vectors::FloatTerm, kTermsAtOnce> terms;
  std::size_t count = 0;
  for (const SampleGroup& group : groups_) {
    const double faint = group.faint[a], mass = faint + (has_row ? 0 : strong_of(group, a));
    if (mass > 0) terms[count++] = {scale * mass / group.samples, group.faint.data()};
    if (count == terms.size()) vectors::add_floats(std::span(terms).first(std::exchange(count, 0)), out);
    if (faint <= 0) continue;
    for (const auto& [label, strong] : group.strong) {
      if (!rows.has(label)) out[label] += scale * faint * strong / group.samples;
    }
  }
  vectors::add_floats(std::span(terms).first(count), out);
}

double SampleGroups::at(std::size_t i, std::size_t j, const LabelRows& rows) const {
  const bool has_i = rows.has(i), has_j = rows.has(j);
  double sum = 0;
  for (const SampleGroup& group : groups_) {
    const double faint = group.faint[j], mass = faint + (has_j ? 0 : strong_of(group, j));
    sum += (group.faint[i] * mass + (has_i ? 0 : strong_of(group, i)) * faint) / group.samples;
  }
  return sum;
}

LabelRow SampleGroups::estimated_row(std::size_t a) const {
  std::vector<double> sum(labels_, 0.0);
  for (const SampleGroup& group : groups_) {
    const double strong = strong_of(group, a);
    const vectors::FloatTerm term{strong / group.samples, group.faint.data()};
    if (strong > 0) vectors::add_floats(std::span(&term, 1), sum);
  }
  LabelRow row{static_cast<std::uint32_t>(a), std::vector<float>(labels_)};
  std::transform(sum.begin(), sum.end(), row.values.begin(), [](double value) { return static_cast<float>(value); });
  return row;
}

void SampleGroups::scale(double factor, double fewest) {
  if (std::erase_if(groups_, [&](const SampleGroup& group) { return group.samples * factor < fewest; }) > 0) {
    probes_.clear();  // add() measures them again
    distances_.clear();
  }
  for (auto& row : distances_)
    for (float& distance : row) distance *= static_cast<float>(factor);
  for (SampleGroup& group : groups_) group.scale(factor);
}

void SampleGroups::renumber_eras(std::span<const std::uint32_t> to) {
  for (SampleGroup& group : groups_) group.era = to[group.era];
  probes_.clear();
  distances_.clear();
}

double SampleGroups::distance(std::size_t x, std::size_t y) const {
  if (groups_[x].era != groups_[y].era) return std::numeric_limits<float>::infinity();
  float sum = 0;
  for (std::size_t i = 0; i < probes_[x].size(); ++i) {
    const float difference = probes_[x][i] - probes_[y][i];
    sum += difference * difference;
  }
  return groups_[x].samples * groups_[y].samples / (groups_[x].samples + groups_[y].samples) * double{sum};
}

void SampleGroups::probe(std::size_t group) {
  const SampleGroup& of = groups_[group];
  const std::size_t count = std::min(kProbes, labels_);
  std::vector<float>& probes = probes_[group];
  probes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = i * labels_ / count;
    const double mean = (of.faint[label] + strong_of(of, label)) / of.samples;
    probes[i] = static_cast<float>(std::log(std::max(mean, kFaintest)));
  }
  for (std::size_t g = 0; g < probes_.size(); ++g) {
    if (g == group || probes_[g].empty()) continue;
    distances_[std::max(g, group)][std::min(g, group)] = static_cast<float>(distance(g, group));
  }
}

void SampleGroups::merge_nearest() {
  std::size_t x = 0, y = 1;
  float least = distances_[1][0];
  for (std::size_t g = 2; g < groups_.size(); ++g) {
    const auto nearest = std::min_element(distances_[g].begin(), distances_[g].end());
    if (*nearest >= least) continue;
    least = *nearest;
    x = static_cast<std::size_t>(nearest - distances_[g].begin());
    y = g;
  }
  merge(x, y);
}

void SampleGroups::merge(std::size_t x, std::size_t y) {
  merged_ = true;
  SampleGroup& into = groups_[x];
  const SampleGroup& from = groups_[y];
  into.era = std::min(into.era, from.era);
  into.samples += from.samples;
  for (std::size_t k = 0; k < labels_; ++k) into.faint[k] += from.faint[k];
  std::vector<SampleGroup::Strong> strong;
  strong.reserve(into.strong.size() + from.strong.size());
  std::merge(into.strong.begin(), into.strong.end(), from.strong.begin(), from.strong.end(), std::back_inserter(strong),
             [](const auto& a, const auto& b) { return a.label < b.label; });
  std::size_t end = 0;
  for (const auto& each : strong) {
    if (end > 0 && strong[end - 1].label == each.label)
      strong[end - 1].mass += each.mass;
    else
      strong[end++] = each;
  }
  strong.resize(end);
  into.strong = std::move(strong);

  // The last one takes the place of y.
  const std::size_t last = groups_.size() - 1;
  if (y != last) {
    groups_[y] = std::move(groups_[last]);
    probes_[y] = std::move(probes_[last]);
    for (std::size_t g = 0; g < last; ++g) {
      if (g != y) distances_[std::max(g, y)][std::min(g, y)] = distances_[last][g];
    }
  }
  groups_.pop_back();
  probes_.pop_back();
  distances_.pop_back();
  probe(x);
}

}  // namespace bcp::adapt

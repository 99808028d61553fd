// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/taught.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "decide/logistic.hpp"

namespace bcp::decide {
namespace {

constexpr double kMissedWeight = 0.5;  // missed labels are only reported when present, so they count half
constexpr double kLeastInformation = 1e-6;
// Less likely anchors are not counted in a labelled frame. This changes a prior by less than 1e-12 per frame.
constexpr double kFloor = 1e-12;

double square(double x) {
  return x * x;
}

// Combines two estimates: their additional precisions add up. The initial variances differ if the streams had different
// prior tables: the larger one stays, so that the order of additions does not matter.
Taught::Offset sum_of(const Taught::Offset& a, const Taught::Offset& b) {
  // No sum is less precise than an estimate without corrections, whatever a file claims.
  const double variance = 1 / std::max(1 / a.variance + 1 / b.variance - 1 / std::min(a.initial, b.initial),
                                       1 / std::max(a.initial, b.initial));
  return {variance * (a.mean / a.variance + b.mean / b.variance), variance, std::max(a.initial, b.initial)};
}

}  // namespace

Taught::Taught(Parts parts)
    : g_(parts.g),
      g_variance_(parts.g_variance),
      statements_(parts.statements),
      offsets_(std::move(parts.offsets)),
      together_(std::move(parts.together)),
      mass_(std::move(parts.mass)) {}

Taught::Offset& Taught::offset_of(const Subject& subject) {
  return offsets_.try_emplace(subject.name, Offset{0, subject.variance, subject.variance}).first->second;
}

// One step of an extended Kalman filter on (d_k, g).
void Taught::say(const Subject& subject, bool missed) {
  Offset& d = offset_of(subject);
  const double weight = missed ? kMissedWeight : 1;
  const double q = logistic(subject.score + g_ + d.mean);
  const double information = std::max(weight * q * (1 - q), kLeastInformation);
  const double residual = weight * ((*subject.present ? 1 : 0) - q);
  const double total = 1 + information * (d.variance + g_variance_);
  d.mean += d.variance * residual / total;
  g_ += g_variance_ * residual / total;
  d.variance -= square(d.variance) * information / total;
  g_variance_ -= square(g_variance_) * information / total;
  ++statements_;
}

// The exact Gaussian update of (g, d_1 .. d_K), in which all labels share g.
void Taught::say_all(std::span<const Subject> subjects, std::span<const Anchor> anchors) {
  struct Step {
    Offset* d;
    double information, residual, total;
  };
  std::vector<Step> steps;
  double precision = 0, pull = 0;
  for (const Subject& subject : subjects) {
    if (!subject.present) continue;
    Offset& d = offset_of(subject);
    const double q = logistic(subject.score + g_ + d.mean);
    const double information = std::max(q * (1 - q), kLeastInformation);
    const double residual = (*subject.present ? 1 : 0) - q;
    const double total = 1 + information * d.variance;
    precision += information / total;
    pull += residual / total;
    steps.push_back({&d, information, residual, total});
  }
  g_variance_ = 1 / (1 / g_variance_ + precision);
  const double moved = g_variance_ * pull;
  g_ += moved;
  for (const Step& step : steps) {
    step.d->mean += step.d->variance * (step.residual - step.information * moved) / step.total;
    step.d->variance /= step.total;
  }
  ++statements_;
  if (steps.size() < subjects.size()) return;
  for (const Anchor& anchor : anchors) mass_[anchor.name] += anchor.weight;
  for (const Subject& subject : subjects) {
    if (!*subject.present) continue;
    Counts& row = together_[subject.name];
    for (const Anchor& anchor : anchors)
      if (anchor.weight >= kFloor) row[anchor.name] += anchor.weight;
  }
}

void Taught::add(const Taught& other) {
  const Offset g = sum_of({g_, g_variance_, kGlobalVariance}, {other.g_, other.g_variance_, kGlobalVariance});
  g_ = g.mean;
  g_variance_ = g.variance;
  statements_ += other.statements_;
  for (const auto& [name, theirs] : other.offsets_) {
    const auto [ours, is_new] = offsets_.try_emplace(name, theirs);
    if (!is_new) ours->second = sum_of(ours->second, theirs);
  }
  for (const auto& [label, row] : other.together_)
    for (const auto& [anchor, count] : row) together_[label][anchor] += count;
  for (const auto& [anchor, count] : other.mass_) mass_[anchor] += count;
}

}  // namespace bcp::decide

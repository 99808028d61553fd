// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/habits.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::adapt {
namespace {

constexpr double kLift = 0.25, kLiftFrames = 20, kPeak = 0.3, kPeakFrames = 5, kMost = 2;
constexpr double kLeastRate = 1e-12;  // a label never seen has no rate to compare

double clipped(double value) {
  return std::clamp(value, -kMost, kMost);
}

// As NumPy: for an even count, the mean of the two in the middle. REQUIRES: not empty.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

void Habits::shift(const Cooccurrence& seen, std::span<const double> p, double weight, std::span<double> shift,
                   const Added& added) {
  std::fill(shift.begin(), shift.end(), 0.0);
  const std::size_t labels = seen.labels();
  const double samples = seen.samples() + added.samples();
  if (weight <= 0 || labels < kFewest || samples <= 0) return;

  const Cooccurrence* others = added.others ? &added.others->seen : nullptr;
  const Cooccurrence* asleep = added.asleep ? &added.asleep->seen : nullptr;
  single_.assign(seen.single().begin(), seen.single().end());
  all_.resize(labels);
  peak_.resize(labels);
  double diagonal = 0, mass = 0;
  for (std::size_t k = 0; k < labels; ++k) {
    if (others) single_[k] += others->single()[k];
    peak_[k] = seen.pair(k, k) + (others ? others->pair(k, k) : 0);
    all_[k] = single_[k];
    if (asleep) {
      single_[k] += added.share * asleep->single()[k];
      all_[k] += asleep->single()[k];
      peak_[k] += asleep->pair(k, k);
    }
    diagonal += peak_[k];
    mass += all_[k];
  }
  const double usual = std::max(0.5 * diagonal / std::max(mass, kLeastRate), kLeastRate);
  for (std::size_t k = 0; k < labels; ++k) {
    const double sure = (peak_[k] + kPeakFrames * usual) / ((all_[k] + kPeakFrames) * usual);
    shift[k] = weight * kPeak * (1 - p[k]) * clipped(std::log(sure));
  }

  column_.resize(labels);
  lift_.resize(labels);
  for (std::size_t a = 0; a < labels; ++a) {
    if (p[a] < kFloor) continue;
    seen.column(a, column_);
    if (others) {
      others->column(a, lift_);
      for (std::size_t k = 0; k < labels; ++k) column_[k] += lift_[k];
    }
    if (asleep) add_asleep(added, a, samples);
    rest_.clear();
    for (std::size_t k = 0; k < labels; ++k) {
      const double rate = std::max(single_[k] / samples, kLeastRate);
      lift_[k] = std::log((column_[k] + kLiftFrames * rate) / ((single_[a] + kLiftFrames) * rate));
      if (k != a) rest_.push_back(lift_[k]);
    }
    const double common = median(rest_);
    for (std::size_t k = 0; k < labels; ++k)
      if (k != a) shift[k] += weight * kLift * p[a] * clipped(lift_[k] - common);
  }
}

// To the column of the anchor: the share of the sleeping scenes, and what the samples that shrink it know of the lift
// of all scenes. The cube leaves one prior alone where scenes hardly differ.
void Habits::add_asleep(const Added& added, std::size_t anchor, double samples) {
  const Cooccurrence& asleep = added.asleep->seen;
  const double apart = std::pow(1 - added.share, 3), all_samples = samples + (1 - added.share) * asleep.samples();
  asleep.column(anchor, lift_);
  for (std::size_t k = 0; k < column_.size(); ++k) {
    const double rate = std::max(single_[k] / samples, kLeastRate);
    const double rate_of_all = std::max(all_[k] / all_samples, kLeastRate);
    const double lift_of_all =
        (column_[k] + lift_[k] + kLiftFrames * rate_of_all) / ((all_[anchor] + kLiftFrames) * rate_of_all);
    column_[k] += added.share * lift_[k] + apart * kLiftFrames * rate * (lift_of_all - 1);
  }
}

}  // namespace bcp::adapt

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
                   const Cooccurrence* others) {
  std::fill(shift.begin(), shift.end(), 0.0);
  const std::size_t labels = seen.labels();
  const double samples = seen.samples() + (others ? others->samples() : 0);
  if (weight <= 0 || labels < kFewest || samples <= 0) return;

  single_.assign(seen.single().begin(), seen.single().end());
  peak_.resize(labels);
  double diagonal = 0, mass = 0;
  for (std::size_t k = 0; k < labels; ++k) {
    if (others) single_[k] += others->single()[k];
    peak_[k] = seen.pair(k, k) + (others ? others->pair(k, k) : 0);
    diagonal += peak_[k];
    mass += single_[k];
  }
  const double usual = std::max(0.5 * diagonal / std::max(mass, kLeastRate), kLeastRate);
  for (std::size_t k = 0; k < labels; ++k) {
    const double sure = (peak_[k] + kPeakFrames * usual) / ((single_[k] + kPeakFrames) * usual);
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

}  // namespace bcp::adapt

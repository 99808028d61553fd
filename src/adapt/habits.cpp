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

void Habits::shift(const Cooccurrence& seen, std::span<const double> p, double weight, std::span<double> shift) {
  std::fill(shift.begin(), shift.end(), 0.0);
  const std::size_t labels = seen.labels();
  if (weight <= 0 || labels < kFewest || seen.samples() <= 0) return;
  const std::span<const double> single = seen.single();
  const double samples = seen.samples();

  double diagonal = 0, mass = 0;
  for (std::size_t k = 0; k < labels; ++k) {
    diagonal += seen.pair(k, k);
    mass += single[k];
  }
  const double usual = std::max(0.5 * diagonal / std::max(mass, kLeastRate), kLeastRate);
  for (std::size_t k = 0; k < labels; ++k) {
    const double sure = (seen.pair(k, k) + kPeakFrames * usual) / ((single[k] + kPeakFrames) * usual);
    shift[k] = weight * kPeak * (1 - p[k]) * clipped(std::log(sure));
  }

  column_.resize(labels);
  lift_.resize(labels);
  for (std::size_t a = 0; a < labels; ++a) {
    if (p[a] < kFloor) continue;
    seen.column(a, column_);
    others_.clear();
    for (std::size_t k = 0; k < labels; ++k) {
      const double rate = std::max(single[k] / samples, kLeastRate);
      lift_[k] = std::log((column_[k] + kLiftFrames * rate) / ((single[a] + kLiftFrames) * rate));
      if (k != a) others_.push_back(lift_[k]);
    }
    const double common = median(others_);
    for (std::size_t k = 0; k < labels; ++k)
      if (k != a) shift[k] += weight * kLift * p[a] * clipped(lift_[k] - common);
  }
}

}  // namespace bcp::adapt

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/batch_gain.hpp"

#include <algorithm>

namespace bcp::clip {

BatchGain BatchGain::always(Duration patience) {
  BatchGain gain;
  gain.always_ = patience;
  return gain;
}

void BatchGain::Times::add(double time, std::uint64_t run) {
  latest[count++ % kSamples] = time;
  last_run = run;
}

double BatchGain::Times::rank(std::size_t index) const {
  std::array<double, kSamples> sorted = latest;
  std::sort(sorted.begin(), sorted.end());
  return sorted[index];
}

void BatchGain::ran(int requests, int pictures, Duration time) {
  Times& way = requests == 1 ? alone_ : together_;
  way.add(static_cast<double>(time.count()) / pictures, ++runs_);
  last_ = time;
}

bool BatchGain::pays() const {
  return alone_.count >= kSamples && together_.count >= kSamples &&
         together_.high_quartile() <= (1 - kWorthwhile) * alone_.low_quartile();
}

int BatchGain::requests() const {
  if (always_) return kMany;
  if (alone_.are_due(runs_)) return 1;
  if (together_.are_due(runs_)) return 2;
  return pays() ? kMany : 1;
}

BatchGain::Duration BatchGain::patience() const {
  if (always_) return *always_;
  return requests() == kMany ? last_ / kPatience : Duration::zero();
}

}  // namespace bcp::clip

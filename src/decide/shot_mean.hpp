// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The running mean of a frame's values within a shot, over the last `span` seconds. A cut restarts it.
//
// Thread safety: none.

#pragma once

#include <optional>
#include <span>
#include <vector>

namespace bcp::decide {

class ShotMean {
 public:
  // A cut changes the scores relative to the shot's mean and also relative to the previous frame; a moving camera
  // changes them only relative to the mean. Both are mean squared differences. The first must be above `cut` (kCut for
  // CLIP; less for encoders whose scores differ less between pictures), the second above kJump of that, and above
  // kUnusual times the usual change between frames.
  static constexpr double kCut = 2.5, kJump = 1.2, kUnusual = 5;
  // From this distance on, in units of `cut`, the mean follows a camera that moved without a cut.
  static constexpr double kFollow = 2.8;

  // Adds a frame at `time` (seconds; if unknown, a frame lasts 1/30 s). `scores` are tested for a cut, `values` are
  // averaged. Returns whether the frame begins a shot. span <= 0: the mean is the last frame. REQUIRES: cut is
  // positive.
  bool add(std::span<const double> scores, std::span<const double> values, std::optional<double> time, double span,
           double cut = kCut);
  // The last frame was still shown at `time`, unchanged: the skipped frames do not count as a pause.
  void hold(std::optional<double> time) { time_ = time; }
  std::span<const double> mean() const { return values_; }

  void reset() { values_.clear(); }

 private:
  std::vector<double> scores_, values_;  // means; empty: no frame yet
  std::vector<double> last_;             // scores of the last frame
  double motion_ = 0;                    // usual change between frames; a property of the camera, so kept across cuts
  std::optional<double> time_;           // of the last frame
  double length_ = 0;                    // of the shot so far, in seconds
};

}  // namespace bcp::decide

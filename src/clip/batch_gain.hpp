// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether it pays to run the pictures of several streams together, found out from the runs themselves.
//
// It depends on the machine and the model. A GPU may run 8 pictures in little more than the time of one. Measured on a
// CPU with one and with two threads, a picture of ViT-B/32 costs 0.9 to 1.1 of what it costs alone, in batches of 2, 4
// and 8, and one of the demo model 1.0 to 1.2: nothing is gained, every label of a batch is as old as the whole run,
// and the library keeps the memory of the largest batch. So both ways are timed on the frames as they come, and batches
// are made where they clearly save kWorthwhile of a picture's time.
//
// Clearly: three quarters of the last kSamples batches are that much quicker than three quarters of the last runs of
// one request. So a run that was slow for whatever reason decides nothing (the first of its size on a GPU always is),
// and on a machine so busy that its times mean little streams are run one by one. A way that was not taken for
// kForgotten runs is tried again, once; what is tried is a batch of two, which tells as much as a large one and costs
// little.
//
// Thread safety: none.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bcp::clip {

class BatchGain {
 public:
  using Duration = std::chrono::steady_clock::duration;

  BatchGain() = default;
  // One that takes it as settled that batches pay, for whoever knows better than to measure: a test, above all.
  static BatchGain always(Duration patience);

  // A run of so many requests, with so many pictures in all, took so long. REQUIRES: both are at least 1.
  void ran(int requests, int pictures, Duration time);

  // How many requests the next run should have at most: 1, 2 to try it, or kMany.
  int requests() const;
  // How long those who wait may be made to wait for others, so that they are run together: a small share of a run, so
  // that no label gets older by more than that; nothing where batches do not pay.
  Duration patience() const;

  static constexpr int kMany = 1 << 16;
  static constexpr std::size_t kSamples = 8;
  static constexpr std::uint64_t kForgotten = 256;
  static constexpr double kWorthwhile = 0.3;
  static constexpr int kPatience = 8;  // the last run's time is divided by this

 private:
  // The newest times a picture took, one way.
  struct Times {
    std::array<double, kSamples> latest = {};
    std::size_t count = 0;
    std::uint64_t last_run = 0;
    void add(double time, std::uint64_t run);
    bool are_due(std::uint64_t run) const { return count < kSamples || run - last_run >= kForgotten; }
    double low_quartile() const { return rank(kSamples / 4); }
    double high_quartile() const { return rank(kSamples - 1 - kSamples / 4); }
    double rank(std::size_t index) const;
  };
  bool pays() const;

  Times alone_, together_;
  std::uint64_t runs_ = 0;
  Duration last_ = {};
  std::optional<Duration> always_;  // the patience of one that does not measure
};

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One method over one stream in one order: every score.
//
// A run has two arrays of samples x labels, and nothing else that grows with both. Extract figures (figures.hpp) and
// destroy it before the next run.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "base/result.hpp"
#include "eval/method.hpp"
#include "eval/orders.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// Scores of every sample for every label. Rows are positions in the stream, not in the file; the scores of a label are
// contiguous, because they are ranked together.
class ScoreArray {
 public:
  ScoreArray(std::size_t samples, std::size_t labels) : samples_(samples), values_(samples * labels) {}

  std::span<const double> of_label(std::size_t k) const { return {&values_[k * samples_], samples_}; }
  void set_row(std::size_t place, std::span<const double> scores) {
    for (std::size_t k = 0; k < scores.size(); ++k) values_[k * samples_ + place] = scores[k];
  }

 private:
  std::size_t samples_;
  std::vector<double> values_;
};

// With more labels BCP's pair statistics are not shown, and a copy may be large.
inline constexpr std::size_t kMostPairedLabels = 256;

struct Run {
  ScoreArray logits, softmax;               // s* and softmax(s*)
  std::vector<std::uint32_t> likeliest;     // per position: plain CLIP's top label, and
  std::vector<double> confidence;           // its probability
  std::vector<float> microseconds;          // time of the method, per position
  std::optional<adapt::Cooccurrence> seen;  // BCP, up to kMostPairedLabels: its statistics at the end
};

// Called regularly with the number of finished samples.
using Ticks = std::function<void(std::size_t)>;

// Uses the novelty gate if the stream has embeddings; there are no timestamps, so its interval never ends. REQUIRES:
// the order matches the stream, and the stream has everything the method needs.
Result<Run> run_method(Stream& stream, const Order& order, const Method& method, const Ticks& ticks = {});

}  // namespace bcp::eval

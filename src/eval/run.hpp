// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One method over one stream in one order: every score it gave.
//
// A run holds two arrays of samples x labels, and nothing else that grows with both. Take from it what is wanted
// (figures.hpp) and let it go before the next.

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

// Scores of every sample for every label. Rows are places in the stream, not in the file; a label's scores lie
// together, because they are ranked together.
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

// With more labels than this nobody looks at what BCP has learnt about each pair, and a copy may be large.
inline constexpr std::size_t kMostPairedLabels = 256;

struct Run {
  ScoreArray logits, softmax;               // s* and softmax(s*)
  std::vector<std::uint32_t> likeliest;     // of each place: plain CLIP's first label, and
  std::vector<double> confidence;           // its probability
  std::vector<float> microseconds;          // that the method took, place by place
  std::optional<adapt::Cooccurrence> seen;  // BCP, up to kMostPairedLabels: what it had learnt at the end
};

// Called now and then with the number of samples that are done.
using Ticks = std::function<void(std::size_t)>;

// The novelty gate is used if the stream has embeddings; there are no timestamps, so its interval never comes to an
// end. REQUIRES: the order fits the stream, and the stream has what the method wants.
Result<Run> run_method(Stream& stream, const Order& order, const Method& method, const Ticks& ticks = {});

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The decision protocol: which labels each rule shows, how many of them are right, and whether the probabilities are
// calibrated. The few-labels protocol: the same for a user with three labels, which most pictures do not show.
// decision.md describes both.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "eval/judge.hpp"
#include "eval/orders.hpp"
#include "eval/presence.hpp"
#include "eval/results.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

struct DecisionRequest {
  const std::vector<std::string>& names;  // of the labels
  const PresenceSettings& presence;
  const Method* bcp = nullptr;  // null: without BCP
  const Order& order;           // the order for BCP
  std::uint64_t seed = 0;
};

struct DecisionTables {
  Table decision;      // one line per rule
  Table reliability;   // one line per bin of the probability
  Table first_frames;  // presence on the first pictures of shuffled orders
};

// Memory: three arrays of samples x labels.
// REQUIRES: check(request.presence, stream); stream and truth agree.
Result<DecisionTables> decision_protocol(Stream& stream, const Truth& truth, const DecisionRequest& request,
                                         const Progress& progress = {});

// Triples of labels, each label equally often up to one; pairs or single labels if there are fewer labels.
std::vector<std::vector<std::size_t>> draw_triples(std::size_t labels, std::size_t triples, std::uint64_t seed);

Result<Table> few_labels_protocol(Stream& stream, const Truth& truth, const DecisionRequest& request,
                                  const Progress& progress = {});

// For tests: the parts of the tables.

// Probabilities within one of kBins bins of equal width.
struct Bin {
  std::size_t pairs = 0;
  double probability = 0, present = 0;  // sums
};
inline constexpr std::size_t kBins = 15;
inline constexpr double kLeastJudged = 0.1;  // `ece` is over pairs from this probability on

class Reliability {
 public:
  void add(double probability, bool present);
  std::span<const Bin> bins() const { return bins_; }
  // The mean distance of probability and truth over the bins, weighted by pairs, in percent; kNone without pairs.
  double error() const;

 private:
  std::vector<Bin> bins_ = std::vector<Bin>(kBins);
};

// The threshold with the best F1: scores at or above it are shown. Infinite if there is no positive.
struct Judged {
  double score;
  bool present;
};
double best_threshold(std::vector<Judged> pairs);

}  // namespace bcp::eval

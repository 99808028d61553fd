// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From probabilities to the labels that are shown.
//
// A label is shown when its probability reaches its threshold, and stays shown until it falls below the lower one
// (hysteresis, so that a probability that hovers does not flicker); of those, the top-k likeliest.
//
// Thread safety: none. One instance belongs to one stream of probabilities.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bcp::decide {

struct DecisionSettings {
  double threshold = 0.2;               // 0.5 on a softmax would allow one label only
  std::optional<double> threshold_off;  // below this a shown label goes; none: the same as threshold
  int top_k = 0;                        // at most this many are shown; 0: no limit

  bool operator==(const DecisionSettings&) const = default;
};

class Decision {
 public:
  // `own` holds the labels' own thresholds (none: the settings' one), or is empty when no label has one.
  // The result is valid until the next call: 1 for each label that is shown.
  // REQUIRES: own.empty() or own.size() == probability.size().
  std::span<const std::uint8_t> decide(std::span<const double> probability, std::span<const std::optional<double>> own,
                                       const DecisionSettings& settings);

  // Goes on with another list of labels: label i of the new list is label from[i] of the old one, or new if negative.
  void relabel(std::span<const int> from);
  void reset() { on_.clear(); }

 private:
  std::vector<std::uint8_t> on_;     // past their threshold, before top-k
  std::vector<std::uint8_t> shown_;  // after it
  std::vector<std::size_t> ranked_;  // scratch of top-k
};

}  // namespace bcp::decide

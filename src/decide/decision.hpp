// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From probabilities to the labels that are shown.
//
// A label is shown when its probability reaches its threshold, until it falls below the lower threshold (hysteresis,
// which avoids flicker); of these labels, only the top-k most probable. With a minimum duration, a label is shown once
// it has been above its threshold for that long.
//
// Thread safety: none. One instance belongs to one stream of probabilities.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bcp::decide {

// Which probability decides.
enum class Rule {
  kPresence,  // that the label is in the picture (presence.hpp)
  kSoftmax,   // its share among all labels
};

struct DecisionSettings {
  double threshold = 0.2;               // 0.5 on a softmax would allow only one label
  std::optional<double> threshold_off;  // a shown label below this is removed; empty: off_share * its threshold
  double off_share = 1;                 // 1: no hysteresis
  int top_k = 0;                        // at most this many are shown; 0: no limit
  double min_duration = 0;              // seconds above its threshold before a label is shown

  bool operator==(const DecisionSettings&) const = default;
};

// The thresholds of a rule: 0.5 for presence, and 0.8 of that to stay shown; 0.2 for softmax.
DecisionSettings settings_of(Rule rule);

// The probability below which a label with this threshold is removed.
double threshold_off(const DecisionSettings& settings, double threshold);

class Decision {
 public:
  // `own` has the labels' own thresholds (empty: that of the settings), or is empty if no label has one. `time` is in
  // seconds; without it the minimum duration is ignored. Returns 1 for each label that is shown; valid until the next
  // call. REQUIRES: own.empty() or own.size() == probability.size().
  std::span<const std::uint8_t> decide(std::span<const double> probability, std::span<const std::optional<double>> own,
                                       const DecisionSettings& settings, std::optional<double> time = {});

  // Whether nothing would change if the probabilities were `goal` from now on: no label would cross its threshold, and
  // none waits for its minimum duration. REQUIRES: decide() was called with as many probabilities and the same
  // thresholds.
  bool is_settled(std::span<const double> goal, std::span<const std::optional<double>> own,
                  const DecisionSettings& settings) const;

  // A new shot begins: a label stays shown only if it reaches its threshold again.
  void cut();

  // Continues with another label list: label i of the new list is label from[i] of the old one, or new if negative.
  void relabel(std::span<const int> from);
  void reset() { *this = {}; }

 private:
  static constexpr double kNever = -1e300;

  bool is_on(std::size_t k, double probability, std::span<const std::optional<double>> own,
             const DecisionSettings& settings) const;

  std::vector<std::uint8_t> on_;     // above its threshold, before top-k
  std::vector<double> since_;        // when it went above; kNever: it is not, or the time is unknown
  std::vector<std::uint8_t> shown_;  // after the minimum duration and top-k
  bool any_waits_ = false;           // a label waits for its minimum duration
  std::vector<std::size_t> ranked_;  // scratch of top-k
};

}  // namespace bcp::decide

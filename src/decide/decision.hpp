// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From probabilities to the labels that are shown.
//
// A label is shown when its probability reaches its threshold, and stays shown until it falls below the lower one
// (hysteresis, so that a probability that hovers does not flicker); of those, the top-k likeliest. With a minimum
// duration, a label is shown once it has been past its threshold for that long.
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
  kSoftmax,   // its share among the labels that are asked for
};

struct DecisionSettings {
  double threshold = 0.2;               // 0.5 on a softmax would allow one label only
  std::optional<double> threshold_off;  // below this a shown label goes; none: off_share of its threshold
  double off_share = 1;                 // 1: no hysteresis
  int top_k = 0;                        // at most this many are shown; 0: no limit
  double min_duration = 0;              // seconds past its threshold before a label is shown

  bool operator==(const DecisionSettings&) const = default;
};

// The thresholds of a rule: presence 0.5, and 0.8 of it to stay shown; softmax 0.2.
DecisionSettings settings_of(Rule rule);

// Below which a label goes that is shown from `threshold` on.
double threshold_off(const DecisionSettings& settings, double threshold);

class Decision {
 public:
  // `own` holds the labels' own thresholds (none: the settings' one), or is empty when no label has one.
  // `time` is in seconds; without it there is no minimum duration. The result is valid until the next call: 1 for each
  // label that is shown. REQUIRES: own.empty() or own.size() == probability.size().
  std::span<const std::uint8_t> decide(std::span<const double> probability, std::span<const std::optional<double>> own,
                                       const DecisionSettings& settings, std::optional<double> time = {});

  // Whether nothing would change, now or later, if the probabilities were `goal` from here on: no label would cross its
  // threshold, and none waits for its minimum duration. REQUIRES: decide() was called, with as many probabilities and
  // the same thresholds.
  bool is_settled(std::span<const double> goal, std::span<const std::optional<double>> own,
                  const DecisionSettings& settings) const;

  // Another shot begins: a label stays shown only if it reaches its threshold again.
  void cut();

  // Goes on with another list of labels: label i of the new list is label from[i] of the old one, or new if negative.
  void relabel(std::span<const int> from);
  void reset() { *this = {}; }

 private:
  static constexpr double kNever = -1e300;

  bool is_on(std::size_t k, double probability, std::span<const std::optional<double>> own,
             const DecisionSettings& settings) const;

  std::vector<std::uint8_t> on_;     // past their threshold, before top-k
  std::vector<double> since_;        // when they came past it; kNever: they are not, or it is not known
  std::vector<std::uint8_t> shown_;  // what is left after the minimum duration and top-k
  bool any_waits_ = false;           // for its minimum duration
  std::vector<std::size_t> ranked_;  // scratch of top-k
};

}  // namespace bcp::decide

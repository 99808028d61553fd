// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns the labels shown in each result into events: a label appeared or disappeared.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bcp::decide {

struct Event {
  std::string label;
  bool on = false;                      // false: the label disappeared
  std::optional<double> start = {};     // when it appeared, in seconds, if known
  std::optional<double> end = {};       // when it disappeared, if it did and the time is known
  std::optional<double> duration = {};  // end - start, if both are known and in this order
  // Over the results that showed the label: the newest, the highest and the mean probability. In an "on" event all
  // three are the current probability.
  double probability = 0, peak = 0, mean = 0;
};

class EventTracker {
 public:
  // `name(k)` is the name of label k. Labels are identified by name, so the list may change between calls; a removed
  // label disappears. REQUIRES: probability.size() == shown.size().
  std::vector<Event> update(std::span<const std::uint8_t> shown, std::span<const double> probability,
                            const std::function<std::string(std::size_t)>& name, std::optional<double> time);

  // The stream is over: all labels disappear.
  std::vector<Event> finish(std::optional<double> time);

 private:
  struct Showing {
    std::optional<double> start;
    double probability, peak, sum;
    std::size_t results;
  };

  std::map<std::string, Showing> on_;
};

}  // namespace bcp::decide

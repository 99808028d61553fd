// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns labels shown result by result into events: a label came, a label went.
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
  bool on = false;                      // false: the label went
  std::optional<double> start = {};     // when it came, in seconds, if known
  std::optional<double> end = {};       // when it went, if it did and the time is known
  std::optional<double> duration = {};  // end - start, if both are known and in this order
  // Of the results that showed the label: the newest, the highest and the mean probability. When the label came, all
  // three are its probability at that moment.
  double probability = 0, peak = 0, mean = 0;
};

class EventTracker {
 public:
  // `name(k)` is the name of label k. Labels are followed by name, so the list may change between calls; a label that
  // is no longer in it has gone. REQUIRES: probability.size() == shown.size().
  std::vector<Event> update(std::span<const std::uint8_t> shown, std::span<const double> probability,
                            const std::function<std::string(std::size_t)>& name, std::optional<double> time);

  // The stream is over: whatever was there has gone.
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

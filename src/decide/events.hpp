// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns labels shown frame by frame into events: a label came, a label went.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

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
  bool on = false;                 // false: the label went
  std::optional<double> duration;  // how long it was there, in seconds; when it went and both times are known
};

class EventTracker {
 public:
  // `name(k)` is the name of label k. Labels are followed by name, so the list may change between calls; a label that
  // is no longer in it has gone.
  std::vector<Event> update(std::span<const std::uint8_t> shown, const std::function<std::string(std::size_t)>& name,
                            std::optional<double> time);

  // The stream is over: whatever was there has gone.
  std::vector<Event> finish(std::optional<double> time);

 private:
  std::map<std::string, std::optional<double>> since_;  // labels that are on, and when they came
};

}  // namespace bcp::decide

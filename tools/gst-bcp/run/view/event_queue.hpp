// SPDX-License-Identifier: LGPL-2.1-or-later
// The server-sent events that wait for one browser: bounded, whatever the browser does.
//
// An event with a key replaces a waiting event with the same key: of a state only the newest matters. If too many
// events wait, all are dropped, and the one event "resync" asks the page to read everything again. One thread.

#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace bcp::cli::view {

struct ViewEvent {
  std::string key;   // empty: every one counts
  std::string name;  // "result"
  std::string data;  // one line of JSON
};

class EventQueue {
 public:
  static constexpr std::size_t kMostEvents = 256;
  static constexpr std::size_t kMostBytes = 1 << 20;

  void put(const ViewEvent& event);
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  // All of them, in the format of text/event-stream.
  std::string take();

 private:
  std::deque<ViewEvent> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace bcp::cli::view

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace bcp::cli::view {

void EventQueue::put(const ViewEvent& event) {
  if (!event.key.empty()) {
    const auto old =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const ViewEvent& e) { return e.key == event.key; });
    if (old != waiting_.end()) {
      bytes_ -= old->data.size();
      waiting_.erase(old);
    }
  }
  if (waiting_.size() >= kMostEvents || bytes_ + event.data.size() > kMostBytes) {
    waiting_.clear();
    waiting_.push_back({"resync", "resync", "{}"});
    bytes_ = waiting_.back().data.size();
    return;
  }
  bytes_ += event.data.size();
  waiting_.push_back(event);
}

std::string EventQueue::take() {
  std::string text;
  for (const ViewEvent& event : std::exchange(waiting_, {}))
    text += "event: " + event.name + "\ndata: " + event.data + "\n\n";
  bytes_ = 0;
  return text;
}

}  // namespace bcp::cli::view

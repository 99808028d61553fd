// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/hold.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bcp::gate {

GstClockTime Hold::first_pts() const {
  GstClockTime first = GST_CLOCK_TIME_NONE;
  for (const HeldItem& item : items_)
    if (item.droppable) first = std::min(first, GST_BUFFER_PTS(item.buffer()));  // none is the greatest
  return first;
}

void Hold::add(gst::BufferPtr buffer, gint64 time) {
  const gsize bytes = gst_buffer_get_size(buffer.get());
  items_.push_back({.object = MiniObjectPtr(GST_MINI_OBJECT(buffer.release())), .time = time, .bytes = bytes});
  ++buffers_;
  bytes_ += bytes;
}

void Hold::add_undroppable(MiniObjectPtr object) {
  items_.push_back({.object = std::move(object), .droppable = false});
}

Hold::Items Hold::prune(gint64 time) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].droppable) continue;
    if (items_[i].time > time) break;  // times do not go back
    if (items_[i].is_sync_point()) start = i;
  }
  return start > 0 ? remove(start) : Items();
}

Hold::Items Hold::shrink(const HoldLimits& limits) {
  Items removed;
  const auto too_much = [&] {
    return (limits.bytes > 0 && bytes_ > limits.bytes) || (limits.buffers > 0 && buffers_ > limits.buffers);
  };
  while (!items_.empty() && too_much()) std::ranges::move(remove(next_group()), std::back_inserter(removed));
  return removed;
}

Hold::Items Hold::take_all() {
  return remove(items_.size());
}

std::size_t Hold::next_group() const {
  std::size_t i = 1;
  while (i < items_.size() && !items_[i].is_sync_point()) ++i;
  return i;
}

Hold::Items Hold::remove(std::size_t count) {
  while (count < items_.size() && !items_[count].droppable) ++count;
  Items removed;
  removed.reserve(count);
  for (; count > 0; --count) {
    HeldItem& item = items_.front();
    bytes_ -= item.bytes;
    buffers_ -= item.droppable ? 1 : 0;
    removed.push_back(std::move(item));
    items_.pop_front();
  }
  return removed;
}

}  // namespace bcp::gate

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/packet_hold.hpp"

#include <utility>

namespace bcp::cli::run {

void PacketHold::add(Packet packet) {
  if (packets_.empty() && (packet.is_sound || !packet.is_key)) return;
  bytes_ += gst_buffer_get_size(packet.buffer.get());
  packets_.push_back(std::move(packet));
}

void PacketHold::drop_front() {
  bytes_ -= gst_buffer_get_size(packets_.front().buffer.get());
  packets_.pop_front();
}

void PacketHold::trim(GstClockTime time) {
  for (;;) {
    // The second key picture.
    std::size_t next = 1;
    while (next < packets_.size() && (packets_[next].is_sound || !packets_[next].is_key)) ++next;
    if (next >= packets_.size() || (packets_[next].time > time && bytes_ <= kMostBytes)) return;
    while (next-- > 0) drop_front();
  }
}

std::deque<Packet> PacketHold::take() {
  bytes_ = 0;
  return std::exchange(packets_, {});
}

}  // namespace bcp::cli::run

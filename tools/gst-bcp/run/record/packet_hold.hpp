// SPDX-License-Identifier: LGPL-2.1-or-later
// Packets that are not in a file yet, from a key picture on: the time before an event. One thread at a time.

#pragma once

#include <deque>

#include "gst-bcp/run/camera/stream_tap.hpp"

namespace bcp::cli::run {

class PacketHold {
 public:
  static constexpr std::size_t kMostBytes = 64 << 20;

  bool empty() const { return packets_.empty(); }
  const std::deque<Packet>& packets() const { return packets_; }
  // A packet is ignored until a key picture has come.
  void add(Packet packet);
  // Removes pictures that are not needed to show everything from `time` on, and the sound before them. Keeps at most
  // kMostBytes, and at least the packets from the last key picture on.
  void trim(GstClockTime time);
  std::deque<Packet> take();
  void clear() { take(); }

 private:
  void drop_front();
  std::deque<Packet> packets_;
  std::size_t bytes_ = 0;
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// When a camera counts as lost, when it is retried and when given up: the timing of the supervisor. Independent of
// GStreamer; the caller passes the time. One thread.

#pragma once

#include <chrono>
#include <optional>

#include "gst-bcp/run/plan/task.hpp"

namespace bcp::cli::run {

class Reconnect {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  using Rules = ReconnectRules;
  enum class Step {
    kNone,
    kRetry,   // this connection failed: close it; kOpen follows
    kOpen,    // make a new one now
    kGiveUp,  // no more attempts
  };

  // The first connection begins.
  Reconnect(Rules rules, Time now);

  // A new connection begins, as kOpen asked for.
  void opened(Time now);
  // Any data came from the camera.
  void alive(Time now);
  // A frame came. Returns the length of the outage that it ended, if any; zero for the camera's first frame.
  std::optional<Duration> frame(Time now);
  // The connection failed, or ended: kRetry or kGiveUp.
  Step failed(Time now);
  // Call this several times a second. kRetry: nothing came for too long.
  Step tick(Time now);

  // Whether a frame has ever come.
  bool ever_connected() const { return ever_connected_; }
  bool is_streaming() const { return state_ == State::kStreaming; }
  // Since when there is no picture.
  std::optional<Time> lost_since() const { return lost_; }
  // Time until kOpen; zero if no kOpen is due.
  Duration until_next(Time now) const;

 private:
  enum class State { kConnecting, kStreaming, kWaiting, kOver };
  bool is_silent(Time now) const;
  Duration patience() const;
  bool is_out_of_time(Time now) const;

  const Rules rules_;
  State state_ = State::kConnecting;
  bool ever_connected_ = false;
  Time opened_, last_life_, first_frame_, last_frame_, next_try_;
  std::size_t frames_ = 0;        // of this connection
  unsigned attempts_ = 0;         // in a row that brought no frame
  std::optional<Duration> pace_;  // from frame to frame, on the last connection that had two
  bool single_ = false;           // a connection stopped after its first frame
  std::optional<Time> lost_;
};

}  // namespace bcp::cli::run

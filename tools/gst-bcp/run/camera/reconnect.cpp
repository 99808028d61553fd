// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/reconnect.hpp"

#include <algorithm>
#include <cstddef>

namespace bcp::cli::run {
namespace {

using namespace std::chrono_literals;

// A camera that is reachable again must deliver frames within five seconds. That time includes one connection that
// hangs, and the pause after one that failed.
constexpr auto kConnectSilence = 2500ms;
constexpr auto kStreamSilence = 3s;
constexpr auto kFirstPause = 500ms;
constexpr auto kLongestRetryPause = 2s;
// For the first frame: also if packets come that cannot be decoded.
constexpr auto kFirstFrame = 15s;
// A slow camera sends nothing between its frames.
constexpr int kMissedFrames = 4;

}  // namespace

Reconnect::Reconnect(Rules rules, Time now) : rules_(rules) {
  opened(now);
}

void Reconnect::opened(Time now) {
  state_ = State::kConnecting;
  opened_ = last_life_ = now;
  frames_ = 0;
}

void Reconnect::alive(Time now) {
  last_life_ = std::max(last_life_, now);
}

std::optional<Reconnect::Duration> Reconnect::frame(Time now) {
  if (state_ != State::kConnecting && state_ != State::kStreaming) return std::nullopt;
  alive(now);
  last_frame_ = now;
  if (++frames_ > 1) {
    pace_ = (last_frame_ - first_frame_) / static_cast<int>(frames_ - 1);
    return std::nullopt;
  }
  first_frame_ = now;
  state_ = State::kStreaming;
  ever_connected_ = true;
  attempts_ = 0;
  const Duration outage = lost_ ? now - *lost_ : Duration::zero();
  lost_.reset();
  return outage;
}

Reconnect::Step Reconnect::failed(Time now) {
  const bool was_streaming = state_ == State::kStreaming;
  if (!lost_) lost_ = was_streaming || ever_connected_ ? now : opened_;
  state_ = State::kOver;
  if (!ever_connected_ && !rules_.wait) return Step::kGiveUp;
  if (is_out_of_time(now)) return Step::kGiveUp;
  state_ = State::kWaiting;
  const Duration pause = std::min<Duration>(kFirstPause * (1 << std::min(attempts_, 8U)), kLongestRetryPause);
  ++attempts_;
  // A connection that hung has already waited.
  next_try_ = was_streaming ? now + pause : std::max(now, opened_ + pause);
  return Step::kRetry;
}

Reconnect::Step Reconnect::tick(Time now) {
  switch (state_) {
    case State::kConnecting:
    case State::kStreaming:
      if (!is_silent(now)) return Step::kNone;
      single_ |= state_ == State::kStreaming && frames_ == 1;
      return failed(now);
    case State::kWaiting:
      if (is_out_of_time(now)) {
        state_ = State::kOver;
        return Step::kGiveUp;
      }
      return now >= next_try_ ? Step::kOpen : Step::kNone;
    case State::kOver:
      break;
  }
  return Step::kNone;
}

bool Reconnect::is_silent(Time now) const {
  if (state_ == State::kStreaming) {
    const Duration interval = frames_ > 1 ? *pace_ : 0s;
    return now - last_frame_ > std::max<Duration>({kStreamSilence, kMissedFrames * interval, patience()});
  }
  if (now - opened_ > kFirstFrame) return true;
  return (ever_connected_ || rules_.wait) && now - last_life_ > std::max<Duration>(kConnectSilence, patience());
}

// The time limit for a camera with several seconds between frames. Its rate is known only after the second frame.
Reconnect::Duration Reconnect::patience() const {
  if (pace_) return std::min<Duration>(2 * *pace_, kFirstFrame);
  return single_ ? kFirstFrame : 0s;
}

bool Reconnect::is_out_of_time(Time now) const {
  return rules_.retry_for && lost_ && now - *lost_ >= *rules_.retry_for;
}

Reconnect::Duration Reconnect::until_next(Time now) const {
  return state_ == State::kWaiting ? std::max<Duration>(next_try_ - now, 0s) : 0s;
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames are scored: every n-th, at most a given rate, no late ones.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstdint>
#include <optional>

namespace bcp::tag {

struct PacingSettings {
  unsigned interval = 1;  // every interval-th frame
  double max_rate = 0;    // at most this many per second; 0: no limit
};

enum class Pace {
  kScore,
  kHold,  // not scored
  kLate,  // not scored because the pipeline is late
};

class Pacing {
 public:
  // Whether to score the frame at `time` (nanoseconds on any clock that the frames share). The average rate is kept
  // also if frames do not match its beat; time that runs backwards restarts the beat. A late frame is not scored, but
  // the next frame in time is; if all frames are late, one per second is still scored, or a slightly slow machine would
  // show the labels of its first frame forever.
  Pace next(std::int64_t time, bool late, const PacingSettings& settings);

  // The next frame is scored in any case: after a seek, or a change of caps or labels.
  void force() { now_.forced = true; }
  // Whether the last frame to be scored was chosen because of force().
  bool was_forced() const { return before_.forced; }
  // The last frame to be scored could not be: the next one takes its turn.
  void give_back() { now_ = before_; }

 private:
  struct Turns {
    bool forced = true;
    unsigned since_scored = 0;  // frames since the last scored one
    std::int64_t due = 0, scored = 0;
  };
  Turns now_, before_;  // before_: before the last frame to be scored
  std::int64_t last_ = 0;
};

}  // namespace bcp::tag

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames are scored: every n-th, at most so many a second, none that is late already.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstdint>
#include <optional>

namespace bcp::tag {

struct PacingSettings {
  unsigned interval = 1;  // every interval-th frame
  double max_rate = 0;    // at most this many a second; 0: no limit
};

enum class Pace {
  kScore,
  kHold,  // not this frame's turn
  kLate,  // it would have been, but the pipeline is behind
};

class Pacing {
 public:
  // Whether to score the frame at `time` (nanoseconds on any clock that the frames share). The rate keeps its average
  // over frames that fall beside its beat; a time that runs backwards starts the beat anew. A frame that is late is not
  // scored, and the next one that is not late is; but where all are late, one a second is scored all the same, or a
  // machine that is a little too slow would show the labels of its first frame for ever.
  Pace next(std::int64_t time, bool late, const PacingSettings& settings);

  // The next frame is scored, whatever the rest says: after a seek, or a change of caps or labels.
  void force() { now_.forced = true; }
  // Whether force() is why the frame that next() last said is to be scored is.
  bool was_forced() const { return before_.forced; }
  // The frame that next() last said is to be scored could not be: its turn is the next one's.
  void give_back() { now_ = before_; }

 private:
  struct Turns {
    bool forced = true;
    unsigned since_scored = 0;  // frames
    std::int64_t due = 0, scored = 0;
  };
  Turns now_, before_;  // the frame at hand was scored
  std::int64_t last_ = 0;
};

}  // namespace bcp::tag

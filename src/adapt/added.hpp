// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Statistics that are added to a stream's own ones wherever those are read, and nowhere else: of other machines, of a
// base, and of the other scenes of the stream. They stay apart, so that the own ones can be stored and sent alone.
//
// Thread safety: values.

#pragma once

#include "adapt/cooccurrence.hpp"

namespace bcp::adapt {

// For the same labels in the same order. Never changed, only replaced.
struct Others {
  Cooccurrence seen;
  bool settled = false;  // warm-up is over on one of them
};

struct Added {
  const Others* others = nullptr;  // counts in full; null: none, same below
  const Others* asleep = nullptr;  // the sum of the scenes that are not awake: every count times `share`
  double share = 1;                // 0 to 1: see scene_share.hpp

  double samples() const {
    return (others ? others->seen.samples() : 0) + (asleep ? share * asleep->seen.samples() : 0);
  }
  bool settled() const { return (others && others->settled) || (asleep && asleep->settled); }
};

}  // namespace bcp::adapt

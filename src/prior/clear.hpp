// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Clears what a snapshot has learnt from frames, in its scenes too. Its labels and people's corrections stay.
//
// Thread safety: values.

#pragma once

#include <cstddef>

#include "prior/snapshot.hpp"

namespace bcp::prior {

// Everything. A stream that loads it starts again, with one scene.
void clear_learnt(Snapshot& snapshot);
// All about one label. REQUIRES: label < snapshot.labels.size().
void clear_learnt(Snapshot& snapshot, std::size_t label);

}  // namespace bcp::prior

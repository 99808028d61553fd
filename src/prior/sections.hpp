// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The sections of a snapshot (snapshot.md): groups of samples, rows of labels, where the statistics come from, and
// scenes. A reader skips sections that it does not know.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "base/result.hpp"
#include "prior/bytes.hpp"
#include "prior/origin.hpp"

namespace bcp::prior {

// Whether the sample groups follow from the rest of a snapshot, so that they need not be stored.
bool are_groups_implied(const adapt::Cooccurrence::Parts& seen);

// Those of scenes (scene_bytes.hpp); empty: missing.
struct SceneSections {
  std::string scenes = {}, share = {};
};

// All that are needed; empty if none is.
std::string encode_sections(const adapt::Cooccurrence::Parts& seen, const std::vector<Origin>& origins,
                            const SceneSections& scenes);

// Reads them to the end, checks every number, and fills seen.groups, `origins` and `scenes` (not checked). An error
// message continues "is damaged: ". REQUIRES: the rest of `seen` was read.
Status decode_sections(Reader& reader, adapt::Cooccurrence::Parts& seen, std::vector<Origin>& origins,
                       SceneSections& scenes);

}  // namespace bcp::prior

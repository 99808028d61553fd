// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Adds snapshots: the result is what one stream with all their samples would have learnt, and was taught.
//
// Thread safety: values.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

// Whether `other` may be added to statistics of this model from these streams. An error if it was learnt with another
// model, or if both contain the same stream: its samples would count twice. The message continues the name of the file
// of `other`.
Status check_addable(const std::string& model, const std::vector<Origin>& origins, const Snapshot& other);

// The sum, for all labels of both: in the order of the lists if they are equal, else sorted by name. A pair of labels
// counts only the samples of files that list both. Commutative, and associative up to rounding, as long as there are at
// most adapt::kMostEras different sets of labels; statistics of more than adapt::kDenseLabels labels are also
// approximated (adapt/README.md). REQUIRES: check_addable().
Snapshot merged(const Snapshot& a, const Snapshot& b);

}  // namespace bcp::prior

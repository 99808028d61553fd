// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ground truth from a file.

#pragma once

#include <string>

#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// How labels that are present but hard to see (-1 in a file) count.
enum class Difficult {
  kIgnore,  // the sample is ignored for that label
  kAbsent,  // the label counts as 0
};

// An array [T, K] of 1, 0 and -1. Anything else is an error that names the row and the column; so is an array without
// any 1.
Result<Truth> load_truth(const std::string& path, Difficult difficult);

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is true of the samples, from a file.

#pragma once

#include <string>

#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// What becomes of labels that are there but hard to see: -1 in a file.
enum class Difficult {
  kIgnore,  // the sample is left out for that label
  kAbsent,  // it counts as 0
};

// An array [T, K] of 1, 0 and -1. Anything else in it is an error that names the row and the column; so is one without
// a single 1.
Result<Truth> load_truth(const std::string& path, Difficult difficult);

}  // namespace bcp::eval

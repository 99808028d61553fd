// SPDX-License-Identifier: LGPL-2.1-or-later
// What people have taught (decide/taught.hpp), sorted for display.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "decide/taught.hpp"

namespace bcp::cli {

struct TaughtLabel {
  std::string label;
  double offset, sd;  // on the log-odds of the presence probability
  double initial_sd;  // before any teaching
};

// Labelled frames: how often a label was present when a word matched the frame best.
struct TaughtPair {
  std::string word, label;
  double present, frames;  // frames are divided among the words that match them
};

// Largest absolute offset first; equal ones by name.
std::vector<TaughtLabel> taught_labels(const decide::Taught& taught);

// At most `count`, most frames first; without pairs of a label with itself.
std::vector<TaughtPair> taught_pairs(const decide::Taught& taught, std::size_t count);

}  // namespace bcp::cli

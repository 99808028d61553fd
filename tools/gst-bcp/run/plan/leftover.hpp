// SPDX-License-Identifier: LGPL-2.1-or-later
// The unfinished video of a camera that a killed run left behind, or one that failed.

#pragma once

#include <optional>
#include <string>

namespace bcp::cli::run {

struct Leftover {
  std::string file;    // where it is now
  double seconds = 0;  // what can be played of it
};

// Cuts `part`, which was to become `path`, to its last whole fragment and names it "NAME-recovered.mp4" beside `path`.
// Unset: there was nothing to play, and no file is left. If it cannot be renamed, it stays.
std::optional<Leftover> keep_leftover(const std::string& part, const std::string& path);

// "12.3 s are in door-recovered.mp4"
std::string described(const Leftover& leftover);

}  // namespace bcp::cli::run

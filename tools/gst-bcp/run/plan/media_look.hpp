// SPDX-License-Identifier: LGPL-2.1-or-later
// What is whole in a file that a killed run left behind. Reads only lengths and times, not pictures.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace bcp::cli::run {

struct MediaLook {
  std::uint64_t whole = 0;  // bytes up to the end of the last whole fragment; 0: nothing can be played
  double seconds = 0;       // of the longest track, up to there
  std::string video;        // "H.264", "H.265"; empty: not known
};

// Fragmented MP4, as mp4mux writes it.
Result<MediaLook> look_at_mp4(const std::string& path);
// Matroska, as matroskamux writes it. Its last cluster may be incomplete: players accept that, so it counts.
Result<MediaLook> look_at_mkv(const std::string& path);

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of a video, all on one sheet.

#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::report {

// Row by row, `across` in a row, each `width` by `height`.
struct ThumbnailSheet {
  int width = 0, height = 0, across = 0;
  std::vector<double> times;  // stream time of each picture, seconds, ascending
  std::string jpeg;
};

// The frames visible at `times` (seconds), as far as the video has them. `video` is a file or a URI. Takes a minute at
// most, and then returns what it has, also after a stop request. Errors name the video and what to do.
Result<ThumbnailSheet> make_thumbnails(const std::string& video, std::vector<double> times,
                                       const std::stop_token& stop = {});

}  // namespace bcp::cli::report

// SPDX-License-Identifier: LGPL-2.1-or-later
// The newest recordings of a camera. Reads its index, so not on the main thread.

#pragma once

#include <string>

#include "gst-bcp/run/view/api.hpp"

namespace bcp::cli::view {

inline constexpr std::size_t kMostRecordings = 30;

// `folder`: of the camera. The newest first, with the number and size of all.
ApiReply recordings_json(const std::string& folder);

}  // namespace bcp::cli::view

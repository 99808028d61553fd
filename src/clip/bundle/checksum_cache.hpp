// SPDX-License-Identifier: LGPL-2.1-or-later
// Checksums of unchanged files.
//
// Cached in $XDG_CACHE_HOME/gst-bcp/checksums.json (~/.cache if unset) by path and file status: a model of 600 MB is
// hashed once, not at each start. A cache that is missing, damaged or not writable costs time and is never an error.
// Several processes may use it at once (each replaces the whole file).

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::clip {

// The sha256 of the file, in hexadecimal.
Result<std::string> cached_sha256(const std::string& path);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// Checksums of files that have not changed since they were last read.
//
// Kept in $XDG_CACHE_HOME/gst-bcp/checksums.json (~/.cache when unset) by path and by all that tells one file from
// another put in its place: a model of 600 MB is hashed once, not at each start. A cache that is missing, damaged or
// not writable costs time, never an error; several processes may use it at once (each replaces it whole).

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::clip {

// The sha256 of the file, in hexadecimal.
Result<std::string> cached_sha256(const std::string& path);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// The user's cache directory: $XDG_CACHE_HOME/gst-bcp, or ~/.cache/gst-bcp if that is unset. Files there may be deleted
// at any time.

#pragma once

#include <string>

namespace bcp {

// The path of `name` in the cache; creates the directory. Empty if there is no cache directory.
std::string user_cache(const std::string& name);

}  // namespace bcp

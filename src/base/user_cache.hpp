// SPDX-License-Identifier: LGPL-2.1-or-later
// Where files live that save time and may vanish: $XDG_CACHE_HOME/gst-bcp, ~/.cache/gst-bcp when that is unset.

#pragma once

#include <string>

namespace bcp {

// The path of `name` in the user's cache, its directory made if it can be; empty where there is no such place.
std::string user_cache(const std::string& name);

}  // namespace bcp

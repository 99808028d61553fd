// SPDX-License-Identifier: LGPL-2.1-or-later
// The key "presence": in bundle.json, or in presence.json for a model without one.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/bundle/json_keys.hpp"

namespace bcp::clip {

// The file in the directory of a model without bundle.json.
inline constexpr const char* kPresenceFile = "presence.json";

// Faults are left in `keys`.
PresenceTraits read_presence(JsonKeys& keys);

// Reads directory/presence.json; nothing is known where it is missing.
Result<PresenceTraits> read_presence_file(const std::string& directory);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// The key "presence" in bundle.json, or in presence.json for a model without one. presence.json may also have the
// logit_scale and logit_bias of a model whose files lack them.

#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/bundle/json_keys.hpp"

namespace bcp::clip {

// The file in the directory of a model without bundle.json.
inline constexpr const char* kPresenceFile = "presence.json";

// Errors are kept in `keys`.
PresenceTraits read_presence(JsonKeys& keys);

struct PresenceFile {
  PresenceTraits traits;
  std::optional<double> logit_scale, logit_bias;
};

// Reads directory/presence.json; all values are empty if it is missing.
Result<PresenceFile> read_presence_file(const std::string& directory);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/presence_keys.hpp"

#include <filesystem>

namespace bcp::clip {

PresenceTraits read_presence(JsonKeys& keys) {
  PresenceTraits traits;
  const auto share = [&](const char* key) {
    const nlohmann::json* value = keys.find(key);
    const bool sound = value->is_number() && value->get<double>() >= 0 && value->get<double>() <= 1;
    if (!sound) keys.fail(key, "a number from 0 to 1", value);
    return sound ? value->get<double>() : 1;
  };
  if (keys.has("presence.scale")) traits.scale = keys.positive("presence.scale");
  if (keys.has("presence.prior_strength")) traits.prior_strength = share("presence.prior_strength");
  if (keys.has("presence.alias_cosine")) traits.alias_cosine = share("presence.alias_cosine");
  return traits;
}

Result<PresenceTraits> read_presence_file(const std::string& directory) {
  const std::string path = directory + "/" + kPresenceFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return PresenceTraits{};
  Result<JsonKeys> keys =
      JsonKeys::open(path, "gst-bcp model calibrate writes this file, models/README.md describes it");
  if (!keys) return keys.error();
  if (const nlohmann::json* const presence = keys->find("presence"); !presence || !presence->is_object())
    keys->fail("presence", "an object", presence);
  const PresenceTraits traits = read_presence(*keys);
  if (keys->error()) return *keys->error();
  return traits;
}

}  // namespace bcp::clip

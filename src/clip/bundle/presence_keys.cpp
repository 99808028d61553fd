// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/presence_keys.hpp"

#include <filesystem>

namespace bcp::clip {

PresenceTraits read_presence(JsonKeys& keys) {
  PresenceTraits traits;
  if (keys.has("presence.scale")) traits.scale = keys.positive("presence.scale");
  if (keys.has("presence.cut")) traits.cut = keys.positive("presence.cut");
  if (keys.has("presence.prior_strength")) traits.prior_strength = keys.share("presence.prior_strength");
  if (keys.has("presence.alias_cosine")) traits.alias_cosine = keys.share("presence.alias_cosine");
  if (keys.has("presence.slope")) traits.slope = keys.positive("presence.slope");
  if (keys.has("presence.offset")) traits.offset = keys.number("presence.offset");
  return traits;
}

Result<PresenceFile> read_presence_file(const std::string& directory) {
  const std::string path = directory + "/" + kPresenceFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return PresenceFile{};
  Result<JsonKeys> keys =
      JsonKeys::open(path, "gst-bcp model calibrate writes this file, models/README.md describes it");
  if (!keys) return keys.error();
  PresenceFile file;
  if (keys->has("logit_scale")) file.logit_scale = keys->positive("logit_scale");
  if (keys->has("logit_bias")) file.logit_bias = keys->number("logit_bias");
  const nlohmann::json* const presence = keys->find("presence");
  const bool may_lack = file.logit_scale || file.logit_bias;
  if (presence ? !presence->is_object() : !may_lack) keys->fail("presence", "an object", presence);
  file.traits = read_presence(*keys);
  if (keys->error()) return *keys->error();
  return file;
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// The keys of a file of cameras.
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/config/tagger_keys.hpp"
#include "gst-bcp/run/plan/plugin.hpp"

namespace bcp::cli::run {

bool is_model_key(const std::string& key) {
  return key == "model" || key == "execution-provider" || key == "precision" || key == "device-id" ||
         key == "intra-op-threads";
}

std::vector<Setting> model_settings(const std::vector<Setting>& settings) {
  std::vector<Setting> shared;
  for (const Setting& setting : settings)
    if (is_model_key(setting.first)) shared.push_back(setting);
  return shared;
}

std::vector<std::string> tagger_keys() {
  std::vector<std::string> keys;
  for (const TaggerProperty& property : tagger_properties()) {
    const std::string& name = property.name;
    // Set by the run itself.
    if (name == "source-id" || name == "post-messages" || name == "model-instance-id" || name == "mode") continue;
    keys.push_back(name);
  }
  return keys;
}

std::vector<std::string> config_keys(const std::string& place) {
  if (place == "record") return {"folder", "when", "format", "segment", "before", "after", "keep-for", "keep-size"};
  if (place == "mqtt") return {"address", "password-file", "ca", "topic", "discovery-prefix", "images", "control"};
  if (place == "camera mqtt") return {"labels", "images", "control"};
  if (place == "view") return {"address", "password-file", "hosts"};
  if (place == "tls") return {"ca", "fingerprints", "insecure"};
  if (place == "camera only") return {"name", "address", "user", "password-env", "password-file"};
  if (place == "camera") {
    std::vector<std::string> keys = {"out",        "report", "encoder",   "overlay", "compare",
                                     "all-labels", "wait",   "retry-for", "record",  "mqtt"};
    for (std::string& key : tagger_keys()) keys.push_back(std::move(key));
    return keys;
  }
  return {"cameras", "defaults", "jsonl", "metrics", "force", "view", "mqtt", "tls"};
}

}  // namespace bcp::cli::run

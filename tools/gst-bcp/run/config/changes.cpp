// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/changes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "gst-bcp/run/config/tagger_keys.hpp"
#include "gst-bcp/run/plan/plugin.hpp"

namespace bcp::cli::run {
namespace {

const Input* input_named(const Config& config, const std::string& source) {
  const auto found = std::find_if(config.inputs.begin(), config.inputs.end(),
                                  [&](const Input& input) { return input.source == source; });
  return found == config.inputs.end() ? nullptr : &*found;
}

// The settings to set while frames pass; unset: they need a new pipeline.
std::optional<std::vector<Setting>> live_settings(InputOptions before, InputOptions after,
                                                  const std::set<std::string>& live) {
  std::vector<Setting> changed;
  const std::vector<Setting> old = std::move(before.tagger), now = std::move(after.tagger);
  before.tagger.clear();
  after.tagger.clear();
  if (before != after) return std::nullopt;
  for (const Setting& setting : old)
    if (std::none_of(now.begin(), now.end(), [&](const Setting& s) { return s.first == setting.first; }) &&
        !setting.first.starts_with("labels"))
      return std::nullopt;
  for (const Setting& setting : now) {
    if (std::find(old.begin(), old.end(), setting) != old.end()) continue;
    if (!live.contains(setting.first)) return std::nullopt;
    changed.push_back(setting);
  }
  const auto names_labels = [](const Setting& s) { return s.first.starts_with("labels"); };
  if (std::any_of(old.begin(), old.end(), names_labels) && std::none_of(now.begin(), now.end(), names_labels))
    return std::nullopt;
  return changed;
}

// The file of labels, if its contents have changed.
std::optional<Setting> changed_labels(const Config& before, const Config& after, const std::vector<Setting>& settings) {
  const std::string path = value_of(settings, "labels-file");
  const auto was = before.label_files.find(path), now = after.label_files.find(path);
  if (was == before.label_files.end() || now == after.label_files.end() || was->second == now->second)
    return std::nullopt;
  return Setting("labels-file", path);
}

}  // namespace

ConfigChanges changes_between(const Config& before, const Config& after) {
  ConfigChanges changes;
  std::set<std::string> live;
  for (const TaggerProperty& property : tagger_properties())
    if (property.is_live) live.insert(property.name);
  for (const Input& input : before.inputs)
    if (!input_named(after, input.source)) changes.ended.push_back(input.source);
  for (const Input& input : after.inputs) {
    const Input* old = input_named(before, input.source);
    if (!old) {
      changes.added.push_back(input.source);
      continue;
    }
    InputOptions was = before.request.of(input.source), now = after.request.of(input.source);
    std::erase_if(was.tagger, [](const Setting& s) { return is_model_key(s.first); });
    std::erase_if(now.tagger, [](const Setting& s) { return is_model_key(s.first); });
    const std::optional<Setting> labels = changed_labels(before, after, now.tagger);
    if (old->uri == input.uri && was == now && !labels) continue;
    auto settings = live_settings(was, now, live);
    if (settings && labels && std::find(settings->begin(), settings->end(), *labels) == settings->end())
      settings->push_back(*labels);
    if (old->uri != input.uri || !settings)
      changes.restarted.push_back(input.source);
    else
      changes.live.push_back({input.source, *settings});
  }
  const Request &was = before.request, &now = after.request;
  changes.other_model = model_settings(was.tagger) != model_settings(now.tagger);
  if (was.jsonl != now.jsonl) changes.later.emplace_back("jsonl");
  if (was.metrics != now.metrics) changes.later.emplace_back("metrics");
  if (!(was.view == now.view)) changes.later.emplace_back("view");
  if (!(was.mqtt == now.mqtt)) changes.later.emplace_back("mqtt");
  if (was.tls_ca != now.tls_ca || was.tls_fingerprints != now.tls_fingerprints || was.tls_insecure != now.tls_insecure)
    changes.later.emplace_back("tls");
  return changes;
}

}  // namespace bcp::cli::run

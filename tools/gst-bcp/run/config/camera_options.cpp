// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/camera_options.hpp"

#include <algorithm>

#include "condition/condition.hpp"
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/config/secrets.hpp"
#include "gst-bcp/run/config/tagger_keys.hpp"
#include "gst-bcp/run/plan/plugin.hpp"

namespace bcp::cli::run {
namespace {

template <typename T, typename U>
void take(T& into, const std::optional<U>& value) {
  if (value) into = *value;
}

// What was expected where; the file is shown by its line, so the other lines of the error are left out.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

bool is_false(const YAML::Node& node) {
  return node.IsScalar() && (node.Scalar() == "false" || node.Scalar() == "no" || node.Scalar() == "off");
}

// One entry for each property, so that options can be compared. Labels and a file of labels replace each other.
void set(std::vector<Setting>& tagger, const Setting& setting) {
  std::erase_if(tagger, [&](const Setting& s) {
    return s.first == setting.first || (setting.first.starts_with("labels") && s.first.starts_with("labels"));
  });
  tagger.push_back(setting);
}

// As bcptagger takes a list: a comma inside a label is escaped.
std::string label_text(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    if (!text.empty()) text += ',';
    for (const char c : label) text += c == ',' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return text;
}

}  // namespace

CameraOptionsReader::CameraOptionsReader(const Request& given, const Paths& paths)
    : given_(given), paths_(paths), properties_(tagger_keys()) {}

void CameraOptionsReader::read(const Section& section, const std::string& camera, InputOptions& options) const {
  take(options.out, paths_.read(section, "out", camera));
  take(options.report, paths_.read(section, "report", camera));
  take(options.encoder, section.text("encoder"));
  if (const auto drawn = section.boolean("overlay")) options.no_overlay = !*drawn;
  take(options.compare, section.boolean("compare"));
  take(options.all_labels, section.boolean("all-labels"));
  take(options.wait, section.boolean("wait"));
  take(options.retry_for, section.time("retry-for"));
  read_record(section, camera, options.record);
  read_broker_rules(section, options.mqtt_rules);
  for (const std::string& key : section.keys()) read_property(section, key, camera, options.tagger);
}

void CameraOptionsReader::read_record(const Section& parent, const std::string& camera, RecordOptions& record) const {
  if (!parent.has("record")) return;
  if (is_false(parent.node_of("record"))) {
    record = RecordOptions();
    return;
  }
  const Section section(parent.node_of("record"), parent.path_of("record"), config_keys("record"), parent.faults());
  if (!parent.node_of("record").IsMap()) return;
  take(record.folder, paths_.read(section, "folder", camera));
  take(record.when, section.text("when"));
  take(record.container, section.text("format"));
  if (section.has("format") && record.container != "mp4" && record.container != "mkv")
    section.fault("format", "\"" + record.container + "\" is not a format of recordings: write mp4 or mkv");
  if (section.has("when"))
    if (const auto condition = condition::Condition::parse(record.when); !condition)
      section.fault("when", first_line(condition.error().message));
  take(record.segment, section.time("segment"));
  if (section.has("segment") && record.segment && *record.segment < 1)
    section.fault("segment", "this is less than a second: write at least 1");
  take(record.before, section.time("before"));
  take(record.after, section.time("after"));
  if (record.when.empty() && !camera.empty() && given_.record.when.empty())
    for (const char* key : {"before", "after"})
      if (section.has(key)) section.fault(key, "this is about clips: add \"when\", as in when: person");
  take(record.keep_for, section.time("keep-for"));
  take(record.keep_bytes, section.size("keep-size"));
  if (record.folder.empty() && given_.record.folder.empty() && !camera.empty())
    section.fault("folder", "where to record is missing: add the folder here or in defaults");
}

void CameraOptionsReader::read_broker_rules(const Section& parent, MqttRules& rules) const {
  if (!parent.has("mqtt")) return;
  if (is_false(parent.node_of("mqtt"))) {
    rules = MqttRules{.send = false, .images = {}, .control = {}, .labels = {}};
    return;
  }
  const Section section(parent.node_of("mqtt"), parent.path_of("mqtt"), config_keys("camera mqtt"), parent.faults());
  rules.send = true;
  take(rules.labels, section.texts("labels"));
  take(rules.images, section.boolean("images"));
  take(rules.control, section.boolean("control"));
}

void CameraOptionsReader::read_property(const Section& section, const std::string& key, const std::string& camera,
                                        std::vector<Setting>& tagger) const {
  if (std::find(properties_.begin(), properties_.end(), key) == properties_.end()) return;
  if (is_model_key(key) && section.path_of("").starts_with("cameras"))
    return section.fault(key, "all cameras share one model: move this key to defaults");
  std::optional<std::string> value;
  if (key == "labels" && section.node_of(key).IsSequence()) {
    if (const auto labels = section.texts(key)) value = label_text(*labels);
  } else {
    value = key.ends_with("-file") ? paths_.read(section, key, camera) : section.text(key);
    // These are names, or paths.
    const bool may_be_path = key == "model" || key == "prior-table" || key == "context-words" || key == "prior-base";
    if (may_be_path && value && value->find('/') != std::string::npos) value = paths_.read(section, key, camera);
  }
  if (key == "prior-group" && value) {  // may be the address of a Redis server
    const Result<std::string> whole = expanded_address(*value);
    if (!whole) return section.fault(key, whole.error().message);
    value = *whole;
  }
  if (!value) return;
  if (const Status fit = check_settings({{key, *value}}); !fit) return section.fault(key, fit.error().message);
  set(tagger, {key, *value});
}

void CameraOptionsReader::overlay(InputOptions& options) const {
  const InputOptions& given = given_;
  const auto text = [](std::string& into, const std::string& from) {
    if (!from.empty()) into = from;
  };
  text(options.out, given.out);
  text(options.report, given.report);
  text(options.encoder, given.encoder);
  text(options.record.folder, given.record.folder);
  text(options.record.when, given.record.when);
  text(options.record.container, given.record.container);
  if (given.record.segment) options.record.segment = given.record.segment;
  if (given.record.before) options.record.before = given.record.before;
  if (given.record.after) options.record.after = given.record.after;
  if (given.record.keep_for) options.record.keep_for = given.record.keep_for;
  if (given.record.keep_bytes) options.record.keep_bytes = given.record.keep_bytes;
  // Those of `defaults` are about the cameras that record clips.
  if (options.record.when.empty()) {
    options.record.before = given.record.before;
    options.record.after = given.record.after;
  }
  if (given.retry_for) options.retry_for = given.retry_for;
  options.wait |= given.wait;
  options.no_overlay |= given.no_overlay;
  options.compare |= given.compare;
  options.all_labels |= given.all_labels;
  if (given_.mqtt.images) options.mqtt_rules.images = true;
  if (given_.mqtt.control) options.mqtt_rules.control = true;
  for (const Setting& setting : given.tagger) set(options.tagger, setting);
  std::sort(options.tagger.begin(), options.tagger.end());  // their order in the file does not matter
}

}  // namespace bcp::cli::run

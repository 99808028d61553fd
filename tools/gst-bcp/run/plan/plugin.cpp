// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/plugin.hpp"

#include <algorithm>

namespace bcp::cli::run {
namespace {

constexpr const char* kInstance = "gst-bcp-run";

gst::ElementPtr make_tagger() {
  gst::ElementPtr tagger(gst_element_factory_make("bcptagger", nullptr));
  if (tagger) gst_object_ref_sink(tagger.get());
  return tagger;
}

std::string values_of(GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return "true or false";
  if (G_IS_PARAM_SPEC_DOUBLE(spec) || G_IS_PARAM_SPEC_FLOAT(spec)) return "a number";
  if (!G_IS_PARAM_SPEC_ENUM(spec)) return "a whole number";
  const GEnumClass* choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
  std::string all;
  for (guint i = 0; i < choices->n_values; ++i)
    all += (all.empty() ? "" : ", ") + std::string(choices->values[i].value_nick);
  return "one of " + all;
}

Status set_property(GstElement* tagger, const Setting& setting) {
  const auto& [property, text] = setting;
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(tagger), property.c_str());
  if (!spec || !(spec->flags & G_PARAM_WRITABLE) || property == "name" || property == "parent")
    return Error{ErrorCode::kInvalid,
                 "bcptagger has no property " + property + ": gst-inspect-1.0 bcptagger lists them"};
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(spec));
  Status done = ok();
  if (g_utf8_validate(text.c_str(), -1, nullptr) == FALSE)
    done = Error{ErrorCode::kInvalid, "\"" + text + "\" is not a valid value for " + property + ": it is not UTF-8"};
  else if (G_VALUE_HOLDS_STRING(&value))
    g_value_set_string(&value, text.c_str());
  else if (!gst_value_deserialize(&value, text.c_str()))
    done = Error{ErrorCode::kInvalid,
                 "\"" + text + "\" is not a valid value for " + property + ": give " + values_of(spec)};
  if (done && g_param_value_validate(spec, &value))
    done = Error{ErrorCode::kInvalid,
                 text + " is out of range for " + property + ": gst-inspect-1.0 bcptagger shows the range"};
  if (done) g_object_set_property(G_OBJECT(tagger), property.c_str(), &value);
  g_value_unset(&value);
  return done;
}

}  // namespace

Status find_plugin() {
  GError* fault = nullptr;
  if (!gst_init_check(nullptr, nullptr, &fault)) {
    const gst::ErrorPtr error(fault);
    return Error{ErrorCode::kUnsupported,
                 std::string("GStreamer does not start: ") + (error ? error->message : "unknown reason")};
  }
  if (make_tagger()) return ok();
  gst_registry_scan_path(gst_registry_get(), BCP_PLUGIN_DIR);
  if (make_tagger()) return ok();
  return Error{
      ErrorCode::kNotFound,
      "GStreamer does not find the plugin (bcptagger): in a built tree run \". pipelines/env.sh\" first, else set "
      "GST_PLUGIN_PATH to its folder; gst-inspect-1.0 bcp shows why a plugin file does not load"};
}

bool tagger_has(const char* property) {
  const gst::ElementPtr tagger = make_tagger();
  return tagger && g_object_class_find_property(G_OBJECT_GET_CLASS(tagger.get()), property);
}

std::vector<TaggerProperty> tagger_properties() {
  const gst::ElementPtr tagger = make_tagger();
  std::vector<TaggerProperty> properties;
  if (!tagger) return properties;
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(tagger.get()), &count);
  for (guint i = 0; i < count; ++i) {
    if (!(specs[i]->flags & G_PARAM_WRITABLE) || specs[i]->owner_type != G_OBJECT_TYPE(tagger.get())) continue;
    const char* help = g_param_spec_get_blurb(specs[i]);
    properties.push_back({specs[i]->name, (specs[i]->flags & GST_PARAM_MUTABLE_PLAYING) != 0, help ? help : ""});
  }
  g_free(specs);
  return properties;
}

Status check_settings(const std::vector<Setting>& settings) {
  const gst::ElementPtr tagger = make_tagger();
  for (const Setting& setting : settings)
    if (const Status done = set_property(tagger.get(), setting); !done) return done;
  return ok();
}

Result<ModelKeeper> ModelKeeper::open(const std::vector<Setting>& settings) {
  if (!tagger_has("model-instance-id")) return ModelKeeper(nullptr);
  gst::ElementPtr tagger = make_tagger();
  g_object_set(tagger.get(), "model-instance-id", kInstance, nullptr);
  for (const Setting& setting : settings) {
    if (setting.first.starts_with("prior-")) continue;    // it learns nothing
    if (setting.first.starts_with("metrics-")) continue;  // and has no numbers
    if (const Status done = set_property(tagger.get(), setting); !done) return done.error();
  }
  const gst::BusPtr bus(gst_bus_new());
  gst_element_set_bus(tagger.get(), bus.get());
  const bool started = gst_element_set_state(tagger.get(), GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
  const gst::MessagePtr message(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  gst_element_set_bus(tagger.get(), nullptr);
  ModelKeeper keeper(std::move(tagger));
  if (started) return keeper;
  std::string sentence = "the model cannot be loaded";
  if (message) {
    GError* fault = nullptr;
    gst_message_parse_error(message.get(), &fault, nullptr);
    const gst::ErrorPtr error(fault);
    sentence = error->message;
  }
  return Error{ErrorCode::kInvalid, sentence};
}

ModelKeeper::~ModelKeeper() {
  if (tagger_) gst_element_set_state(tagger_.get(), GST_STATE_NULL);
}

std::vector<Setting> ModelKeeper::settings() const {
  if (!tagger_) return {};
  return {{"model-instance-id", kInstance}};
}

}  // namespace bcp::cli::run

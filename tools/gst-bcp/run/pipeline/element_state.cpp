// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/element_state.hpp"

#include <string_view>

#include "support/owners.hpp"

namespace bcp::cli::run {

std::uint64_t count_in(GstElement* element, const char* field) {
  if (!element) return 0;
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  const gst::StructurePtr owned(stats);
  guint64 count = 0;
  if (stats) gst_structure_get_uint64(stats, field, &count);
  return count;
}

std::vector<Setting> changed_settings(GstElement* tagger) {
  std::vector<Setting> settings;
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(tagger), &count);
  for (guint i = 0; i < count; ++i) {
    const std::string_view property = specs[i]->name;
    if (!(specs[i]->flags & G_PARAM_WRITABLE) || !(specs[i]->flags & G_PARAM_READABLE) || property == "name" ||
        property == "parent" || property == "post-messages" || property == "source-id")
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(tagger), specs[i]->name, &value);
    if (!g_param_value_defaults(specs[i], &value)) {
      const gst::CharPtr text(G_VALUE_HOLDS_STRING(&value) ? g_value_dup_string(&value) : gst_value_serialize(&value));
      if (text) settings.emplace_back(specs[i]->name, text.get());
    }
    g_value_unset(&value);
  }
  g_free(specs);
  return settings;
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/seen.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace bcp::cli::run {

std::optional<Seen> read_seen(GstMessage* message) {
  const GstStructure* structure = gst_message_get_structure(message);
  if (!structure || !gst_structure_has_name(structure, "bcp-result")) return std::nullopt;
  Seen seen;
  if (const char* source = gst_structure_get_string(structure, "source-id")) seen.source = source;
  if (const char* context = gst_structure_get_string(structure, "context")) seen.context = context;
  gst_structure_get_clock_time(structure, "stream-time", &seen.time);
  const GValue* labels = gst_structure_get_value(structure, "labels");
  for (guint i = 0; labels && i < gst_value_array_get_size(labels); ++i) {
    const auto* label = static_cast<const GstStructure*>(g_value_get_boxed(gst_value_array_get_value(labels, i)));
    ShownLabel& shown = seen.labels.emplace_back();
    if (const char* name = gst_structure_get_string(label, "name")) shown.name = name;
    gst_structure_get_double(label, "probability", &shown.probability);
  }
  std::stable_sort(seen.labels.begin(), seen.labels.end(),
                   [](const ShownLabel& a, const ShownLabel& b) { return a.probability > b.probability; });
  return seen;
}

std::string text_of(const std::vector<ShownLabel>& labels) {
  std::string text;
  for (const ShownLabel& label : labels) {
    std::array<char, 16> number{};
    std::snprintf(number.data(), number.size(), " %.2f", label.probability);
    text += (text.empty() ? "" : ", ") + label.name + number.data();
  }
  return text.empty() ? "nothing" : text;
}

std::string text_of(const Seen& seen) {
  return text_of(seen.labels) +
         (seen.labels.empty() && !seen.context.empty() ? " (context: " + seen.context + ")" : "");
}

}  // namespace bcp::cli::run

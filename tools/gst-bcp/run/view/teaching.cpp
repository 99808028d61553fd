// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/teaching.hpp"

#include <string_view>

#include "gst-bcp/run/view/result_json.hpp"

namespace bcp::cli::view {
namespace {

gst::StructurePtr learnt_of(GstElement* tagger, unsigned most) {
  GstStructure* learnt = nullptr;
  g_signal_emit_by_name(tagger, "learnt", most, &learnt);
  return gst::StructurePtr(learnt);
}

// What feedback adds to the log odds of the label; 0: nothing.
double taught_offset(const GstStructure* learnt, const std::string& label) {
  const GValue* names = learnt ? gst_structure_get_value(learnt, "taught-labels") : nullptr;
  const GValue* offsets = learnt ? gst_structure_get_value(learnt, "taught-offsets") : nullptr;
  for (guint i = 0; names && offsets && i < gst_value_array_get_size(names); ++i)
    if (std::string_view(g_value_get_string(gst_value_array_get_value(names, i))) == label)
      return g_value_get_double(gst_value_array_get_value(offsets, i));
  return 0;
}

}  // namespace

Taught teach(GstElement* tagger, const std::string& label, bool present, GstClockTime pts) {
  const gst::StructurePtr before = learnt_of(tagger, 0);
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger, "feedback", label.c_str(), static_cast<gboolean>(present), pts, &done);
  const gst::StructurePtr after = learnt_of(tagger, 0);
  return {done != FALSE, taught_offset(after.get(), label) - taught_offset(before.get(), label)};
}

nlohmann::json read_learnt(GstElement* tagger, unsigned most) {
  const gst::StructurePtr learnt = learnt_of(tagger, most);
  return learnt ? learnt_json(learnt.get()) : nlohmann::json(nullptr);
}

}  // namespace bcp::cli::view

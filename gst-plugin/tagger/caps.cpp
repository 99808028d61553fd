// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/caps.hpp"

#include "support/owners.hpp"

namespace bcp::tagger {
namespace {

bool is_in(const GstCaps* caps, guint i, const char* memory) {
  const GstCapsFeatures* features = gst_caps_get_features(caps, i);
  return !gst_caps_features_is_any(features) && gst_caps_features_contains(features, memory);
}

bool sends_system_memory(GstPad* sink) {
  const gst::CapsPtr caps(gst_pad_peer_query_caps(sink, nullptr));
  if (!caps || gst_caps_is_any(caps.get())) return false;
  for (guint i = 0; i < gst_caps_get_size(caps.get()); ++i) {
    if (is_in(caps.get(), i, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY)) return true;
  }
  return false;
}

}  // namespace

void prefer_system_memory(GstPad* sink, GstQuery* query) {
  GstCaps* offered = nullptr;
  gst_query_parse_caps_result(query, &offered);
  if (gst_caps_is_any(offered)) return;
  const guint count = gst_caps_get_size(offered);
  const gst::CapsPtr others(gst_caps_new_empty());
  for (guint i = 0; i < count; ++i) {
    if (is_in(offered, i, "memory:DMABuf")) continue;
    gst_caps_append_structure_full(others.get(), gst_structure_copy(gst_caps_get_structure(offered, i)),
                                   gst_caps_features_copy(gst_caps_get_features(offered, i)));
  }
  const guint left = gst_caps_get_size(others.get());
  if (left > 0 && left < count && sends_system_memory(sink)) gst_query_set_caps_result(query, others.get());
}

}  // namespace bcp::tagger

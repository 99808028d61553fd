// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/negotiation.hpp"

#include <gst/video/video.h>

#include "support/owners.hpp"

namespace bcp::overlay {
namespace {

constexpr char kFeature[] = GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION;

bool with_feature(const GstCapsFeatures* features) {
  return !gst_caps_features_is_any(features) && gst_caps_features_contains(features, kFeature);
}

// Whether the features contain no memory type except system memory.
bool of_the_system(const GstCapsFeatures* features) {
  if (gst_caps_features_is_any(features)) return false;
  for (guint i = 0; i < gst_caps_features_get_size(features); ++i) {
    const gchar* feature = gst_caps_features_get_nth(features, i);
    if (g_str_has_prefix(feature, "memory:") && !g_str_equal(feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY)) {
      return false;
    }
  }
  return true;
}

// Adds one entry of `caps`, with or without the feature.
void append(GstCaps* into, const GstCaps* caps, guint index, bool feature) {
  GstCapsFeatures* features = gst_caps_features_copy(gst_caps_get_features(caps, index));
  if (feature) {
    if (!with_feature(features)) gst_caps_features_add(features, kFeature);
  } else {
    gst_caps_features_remove(features, kFeature);
  }
  gst_caps_append_structure_full(into, gst_structure_copy(gst_caps_get_structure(caps, index)), features);
}

// The entries of `caps` with the feature, or those without.
gst::CapsPtr only(const GstCaps* caps, bool feature) {
  gst::CapsPtr result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    if (with_feature(gst_caps_get_features(caps, i)) == feature) append(result.get(), caps, i, feature);
  }
  return result;
}

bool understands_the_meta(GstPad* src, GstCaps* caps) {
  const auto ask = [&] {
    const gst::QueryPtr query(gst_query_new_allocation(caps, FALSE));
    return gst_pad_peer_query(src, query.get()) &&
           gst_query_find_allocation_meta(query.get(), GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
  };
  if (ask()) return true;
  // Elements without caps may not forward the query. So the caps are sent first, and other ones later if the answer is
  // still negative.
  return gst_pad_set_caps(src, caps) && ask();
}

}  // namespace

bool has_overlay_feature(const GstCaps* caps) {
  return gst_caps_get_size(caps) > 0 && with_feature(gst_caps_get_features(caps, 0));
}

bool in_system_memory(const GstCaps* caps) {
  return gst_caps_get_size(caps) > 0 && of_the_system(gst_caps_get_features(caps, 0));
}

GstCaps* transform_caps(GstPadDirection from, GstCaps* caps) {
  if (gst_caps_is_any(caps)) return gst_caps_ref(caps);
  gst::CapsPtr with(gst_caps_new_empty()), without(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const GstCapsFeatures* features = gst_caps_get_features(caps, i);
    if (gst_caps_features_is_any(features)) {
      gst_caps_append_structure_full(with.get(), gst_structure_copy(gst_caps_get_structure(caps, i)),
                                     gst_caps_features_new_any());
      continue;
    }
    const bool has = with_feature(features), system = of_the_system(features);
    if (from == GST_PAD_SINK) {
      append(with.get(), caps, i, true);
      if (!has && system) append(without.get(), caps, i, false);
    } else {
      if (has) append(with.get(), caps, i, true);
      if (has || system) append(without.get(), caps, i, false);
    }
  }
  gst_caps_append(with.get(), without.release());
  return with.release();
}

GstCaps* choose_caps(GstPad* src, GstCaps* in, GstCaps* choices) {
  const gst::CapsPtr owner(choices);
  if (gst_caps_is_empty(choices)) return gst_caps_ref(choices);
  gst::CapsPtr with(gst_caps_fixate(only(choices, true).release()));
  gst::CapsPtr without(gst_caps_fixate(only(choices, false).release()));
  if (gst_caps_is_empty(with.get())) return without.release();
  // There is no choice if upstream has already attached overlays, or if the pixels are not in system memory.
  if (gst_caps_is_empty(without.get()) || has_overlay_feature(in)) return with.release();
  return understands_the_meta(src, with.get()) ? with.release() : without.release();
}

}  // namespace bcp::overlay

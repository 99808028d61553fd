// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/properties.hpp"

#include "support/properties.hpp"

namespace bcp::tagger {
namespace {

// The labels come from whichever of the two properties was set last; setting it to nothing goes back to the bundle's.
void set_labels(Settings& s, std::string& field, tag::LabelSource source, std::string chars) {
  field = std::move(chars);
  if (!field.empty()) {
    s.label_source = source;
  } else if (s.label_source == source) {
    s.label_source = tag::LabelSource::kBundle;
  }
  ++s.labels_serial;
}

}  // namespace

bool set_setting(Settings& s, guint id, const GValue* value) {
  switch (id) {
    case kPropModel:
      s.model = gst::text(value);
      break;
    case kPropLabels:
      set_labels(s, s.labels, tag::LabelSource::kText, gst::text(value));
      break;
    case kPropLabelsFile:
      set_labels(s, s.labels_file, tag::LabelSource::kFile, gst::text(value));
      break;
    case kPropPromptTemplate:
      s.prompt_template = gst::text(value);
      ++s.labels_serial;
      break;
    case kPropExecutionProvider:
      s.encoder.provider = gst::choice<onnx::Provider>(value);
      break;
    case kPropDeviceId:
      s.encoder.device_id = g_value_get_int(value);
      break;
    case kPropIntraOpThreads:
      s.encoder.threads = g_value_get_int(value);
      break;
    case kPropModelInstanceId:
      s.model_instance_id = gst::text(value);
      break;
    case kPropEnabled:
      s.enabled = g_value_get_boolean(value);
      break;
    case kPropSourceId:
      s.source_id = gst::text(value);
      break;
    case kPropPreset:
      s.preset = gst::choice<adapt::Preset>(value);
      break;
    case kPropCorrection:
      s.correction = gst::choice<adapt::Correction>(value);
      break;
    case kPropAnchorConfidence:
      s.by_hand.anchor_confidence = g_value_get_double(value);
      break;
    case kPropStrength:
      s.by_hand.strength = g_value_get_double(value);
      break;
    case kPropAnchors:
      s.by_hand.anchors = g_value_get_int(value);
      break;
    case kPropKeepAnchor:
      s.by_hand.keep_anchor = g_value_get_boolean(value);
      break;
    case kPropWarmUp:
      s.by_hand.warm_up = g_value_get_boolean(value);
      break;
    case kPropShrinkage:
      s.by_hand.shrinkage = g_value_get_double(value);
      break;
    case kPropHalfLife:
      s.by_hand.half_life = g_value_get_double(value);
      break;
    case kPropNoveltyDistance:
      s.by_hand.novelty_distance = g_value_get_double(value);
      break;
    case kPropNoveltyInterval:
      s.novelty_interval = g_value_get_uint64(value);
      break;
    case kPropInferenceInterval:
      s.pacing.interval = g_value_get_uint(value);
      break;
    case kPropMaxRate:
      s.pacing.max_rate = g_value_get_double(value);
      break;
    case kPropMode:
      s.mode = gst::choice<Mode>(value);
      break;
    case kPropCoverage:
      s.coverage = gst::choice<image::Coverage>(value);
      break;
    case kPropInferenceRegion:
      s.inference_region = gst::choice<InferenceRegion>(value);
      break;
    case kPropMaxRegions:
      s.max_regions = g_value_get_int(value);
      break;
    case kPropThreshold:
      s.decision.threshold = g_value_get_double(value);
      break;
    case kPropThresholdOff: {
      const double off = g_value_get_double(value);
      s.decision.threshold_off = off < 0 ? std::nullopt : std::optional(off);
      break;
    }
    case kPropTopK:
      s.decision.top_k = g_value_get_int(value);
      break;
    case kPropAttachEmbedding:
      s.attach_embedding = g_value_get_boolean(value);
      break;
    case kPropPostMessages:
      s.post_messages = gst::choice<PostMessages>(value);
      break;
    case kPropPriorFile:
      s.prior_file = gst::text(value);
      break;
    case kPropPriorMode:
      s.prior_mode = gst::choice<prior::PriorMode>(value);
      break;
    case kPropPriorInterval:
      s.prior_interval = g_value_get_uint(value);
      break;
    case kPropPriorGroup:
      s.prior_group = gst::text(value);
      break;
    case kPropMetricsFile:
      s.metrics_file = gst::text(value);
      break;
    case kPropMetricsInterval:
      s.metrics_interval = g_value_get_uint(value);
      break;
    default:
      return false;
  }
  return true;
}

bool get_setting(const Settings& s, guint id, GValue* value) {
  const adapt::AdapterSettings adapter = s.adapter();
  switch (id) {
    case kPropModel:
      gst::set_text(value, s.model);
      break;
    case kPropLabels:
      gst::set_text(value, s.labels);
      break;
    case kPropLabelsFile:
      gst::set_text(value, s.labels_file);
      break;
    case kPropPromptTemplate:
      gst::set_text(value, s.prompt_template);
      break;
    case kPropExecutionProvider:
      gst::set_choice(value, s.encoder.provider);
      break;
    case kPropDeviceId:
      g_value_set_int(value, s.encoder.device_id);
      break;
    case kPropIntraOpThreads:
      g_value_set_int(value, s.encoder.threads);
      break;
    case kPropModelInstanceId:
      gst::set_text(value, s.model_instance_id);
      break;
    case kPropEnabled:
      g_value_set_boolean(value, s.enabled);
      break;
    case kPropSourceId:
      gst::set_text(value, s.source_id);
      break;
    case kPropPreset:
      gst::set_choice(value, s.preset);
      break;
    case kPropCorrection:
      gst::set_choice(value, s.correction);
      break;
    case kPropAnchorConfidence:
      g_value_set_double(value, adapter.bcp.anchor_confidence);
      break;
    case kPropStrength:
      g_value_set_double(value, adapter.bcp.strength);
      break;
    case kPropAnchors:
      g_value_set_int(value, adapter.bcp.anchors);
      break;
    case kPropKeepAnchor:
      g_value_set_boolean(value, adapter.bcp.keep_anchor);
      break;
    case kPropWarmUp:
      g_value_set_boolean(value, adapter.bcp.warm_up);
      break;
    case kPropShrinkage:
      g_value_set_double(value, adapter.bcp.shrinkage);
      break;
    case kPropHalfLife:
      g_value_set_double(value, adapter.bcp.half_life);
      break;
    case kPropNoveltyDistance:
      g_value_set_double(value, adapter.novelty.distance);
      break;
    case kPropNoveltyInterval:
      g_value_set_uint64(value, s.novelty_interval_ns(s.preset));
      break;
    case kPropInferenceInterval:
      g_value_set_uint(value, s.pacing.interval);
      break;
    case kPropMaxRate:
      g_value_set_double(value, s.pacing.max_rate);
      break;
    case kPropMode:
      gst::set_choice(value, s.mode);
      break;
    case kPropCoverage:
      gst::set_choice(value, s.coverage);
      break;
    case kPropInferenceRegion:
      gst::set_choice(value, s.inference_region);
      break;
    case kPropMaxRegions:
      g_value_set_int(value, s.max_regions);
      break;
    case kPropThreshold:
      g_value_set_double(value, s.decision.threshold);
      break;
    case kPropThresholdOff:
      g_value_set_double(value, s.decision.threshold_off.value_or(-1));
      break;
    case kPropTopK:
      g_value_set_int(value, s.decision.top_k);
      break;
    case kPropAttachEmbedding:
      g_value_set_boolean(value, s.attach_embedding);
      break;
    case kPropPostMessages:
      gst::set_choice(value, s.post_messages);
      break;
    case kPropPriorFile:
      gst::set_text(value, s.prior_file);
      break;
    case kPropPriorMode:
      gst::set_choice(value, s.prior_mode);
      break;
    case kPropPriorInterval:
      g_value_set_uint(value, s.prior_interval);
      break;
    case kPropPriorGroup:
      gst::set_text(value, s.prior_group);
      break;
    case kPropMetricsFile:
      gst::set_text(value, s.metrics_file);
      break;
    case kPropMetricsInterval:
      g_value_set_uint(value, s.metrics_interval);
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace bcp::tagger

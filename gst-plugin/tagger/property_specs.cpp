// SPDX-License-Identifier: LGPL-2.1-or-later

#include "support/properties.hpp"
#include "tagger/enums.hpp"
#include "tagger/properties.hpp"

namespace bcp::tagger {
namespace {

template <typename Enum>
GParamSpec* enum_spec(const char* name, const char* nick, const char* blurb, GType type, Enum initial,
                      GParamFlags flags) {
  return g_param_spec_enum(name, nick, blurb, type, static_cast<gint>(initial), flags);
}

}  // namespace

void install_properties(GObjectClass* object_class) {
  const Settings defaults;
  const adapt::AdapterSettings adapter = defaults.adapter();
  const auto install = [&](Property id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kPropModel,
          g_param_spec_string(
              "model", "Model",
              "A CLIP on disk: a directory (a bundle, or as Hugging Face, open_clip or Immich have it), one "
              "ONNX file in it, or a name looked up in GST_BCP_MODEL_PATH, the user's and the system's data "
              "directories and where the plugin was installed",
              defaults.model.c_str(), gst::kAtStart));
  install(kPropLabels, g_param_spec_string("labels", "Labels",
                                           "What to look for, separated by commas or newlines (\\, for a comma, \\\\, "
                                           "in gst-launch-1.0); unset: all labels of "
                                           "the bundle. Of labels and labels-file, the one set last counts",
                                           nullptr, gst::kLive));
  install(kPropLabelsFile,
          g_param_spec_string(
              "labels-file", "Labels File",
              "File with one label a line, or a JSON array of names and of objects with label, "
              "threshold, template, synonyms and colour. Of labels and labels-file, the one set last counts",
              nullptr, gst::kLive));
  install(
      kPropPromptTemplate,
      g_param_spec_string("prompt-template", "Prompt Template",
                          "What is said to the model about a label, with {} for the label; several, one a line, are "
                          "averaged (unset: the model's own, usually \"a photo of a {}\")",
                          nullptr, gst::kLive));
  install(kPropExecutionProvider, enum_spec("execution-provider", "Execution Provider",
                                            "What runs the model. A named provider is used, or start fails",
                                            provider_type(), defaults.encoder.provider, gst::kAtStart));
  install(kPropDeviceId, g_param_spec_int("device-id", "Device Id", "Which device of the provider", 0, 255,
                                          defaults.encoder.device_id, gst::kAtStart));
  install(kPropIntraOpThreads,
          g_param_spec_int("intra-op-threads", "Intra-Op Threads",
                           "Threads inside one inference (0: half of the CPUs this process may use, 1 to 4)", 0, 256,
                           defaults.encoder.threads, gst::kAtStart));
  install(kPropModelInstanceId,
          g_param_spec_string("model-instance-id", "Model Instance Id",
                              "Elements of one process with the same id share one model: it is loaded once, and frames "
                              "that come together are run together where that is quicker. They must agree on model, "
                              "provider and threads",
                              nullptr, gst::kAtStart));
  install(kPropEnabled, g_param_spec_boolean("enabled", "Enabled", "Label frames; if false they pass untouched",
                                             defaults.enabled, gst::kLive));
  install(kPropSourceId,
          g_param_spec_string("source-id", "Source Id", "Name of the stream in results (unset: the element's name)",
                              nullptr, gst::kLive));
  install(kPropPreset,
          enum_spec("preset", "Preset", "Where the adapter's values start from; a property set by hand wins",
                    preset_type(), defaults.preset, gst::kAtStart));
  install(kPropCorrection,
          enum_spec("correction", "Correction",
                    "How scores are corrected. BCP goes on learning whatever is chosen. The methods for "
                    "comparison learn from the frames of this element while they are chosen; no "
                    "prior-group or prior-file shares or keeps that, and of the adapter's values only "
                    "novelty-distance and novelty-interval count for them",
                    correction_type(), defaults.correction, gst::kLive));
  install(kPropAnchorConfidence,
          g_param_spec_double("anchor-confidence", "Anchor Confidence",
                              "A frame is corrected when its likeliest label is surer than this (mu)", 0, 1,
                              adapter.bcp.anchor_confidence, gst::kControllable));
  install(kPropStrength,
          g_param_spec_double("strength", "Strength", "Share of the correction that is added (0: plain CLIP)", 0, 1,
                              adapter.bcp.strength, gst::kControllable));
  install(
      kPropAnchors,
      g_param_spec_int("anchors", "Anchors",
                       "How many of the likeliest labels the correction is averaged over (0: over all, each weighed "
                       "by the square of its probability)",
                       0, 3, adapter.bcp.anchors, gst::kLive));
  install(kPropKeepAnchor,
          g_param_spec_boolean("keep-anchor", "Keep Anchor",
                               "The likeliest label keeps plain CLIP's probability; the others share the rest anew",
                               adapter.bcp.keep_anchor, gst::kLive));
  install(kPropWarmUp, g_param_spec_boolean("warm-up", "Warm-Up", "Correct nothing until what was learnt has settled",
                                            adapter.bcp.warm_up, gst::kLive));
  install(kPropShrinkage,
          g_param_spec_double("shrinkage", "Shrinkage",
                              "Weight, in samples, of the assumption that labels are independent (lambda)", 0, 1e9,
                              adapter.bcp.shrinkage, gst::kControllable));
  install(kPropHalfLife,
          g_param_spec_double("half-life", "Half-Life",
                              "Learnt samples after which a sample counts half (0: nothing is forgotten)", 0, 1e12,
                              adapter.bcp.half_life, gst::kControllable));
  install(kPropNoveltyDistance,
          g_param_spec_double(
              "novelty-distance", "Novelty Distance",
              "A frame is learnt when it differs this much (1 - cosine) from the last one learnt (0: always)", 0, 2,
              adapter.novelty.distance, gst::kControllable));
  install(kPropNoveltyInterval,
          g_param_spec_uint64("novelty-interval", "Novelty Interval",
                              "Nanoseconds after which a frame is learnt however alike (0: never)", 0, G_MAXUINT64,
                              defaults.novelty_interval_ns(defaults.preset), gst::kLive));
  install(kPropInferenceInterval,
          g_param_spec_uint("inference-interval", "Inference Interval",
                            "Every n-th frame is scored; the others carry the last labels, marked held", 1, G_MAXUINT,
                            defaults.pacing.interval, gst::kLive));
  install(kPropMaxRate, g_param_spec_double("max-rate", "Max Rate",
                                            "At most this many inferences a second: of the stream's time, or in async "
                                            "mode of the wall clock's (0: no limit)",
                                            0, 1e6, defaults.pacing.max_rate, gst::kLive));
  install(kPropMode, enum_spec("mode", "Mode", "Whether a frame waits for its own labels", mode_type(), defaults.mode,
                               gst::kAtStart));
  install(kPropCoverage, enum_spec("coverage", "Coverage", "Which part of the frame the model sees", coverage_type(),
                                   defaults.coverage, gst::kLive));
  install(kPropInferenceRegion, enum_spec("inference-region", "Inference Region", "What of a frame is scored",
                                          inference_region_type(), defaults.inference_region, gst::kAtStart));
  install(kPropMaxRegions,
          g_param_spec_int("max-regions", "Max Regions", "At most this many regions of a frame are scored, the first",
                           1, 1024, defaults.max_regions, gst::kLive));
  install(kPropThreshold, g_param_spec_double("threshold", "Threshold",
                                              "A label is shown from this probability on (a softmax over all labels)",
                                              0, 1, defaults.decision.threshold, gst::kControllable));
  install(kPropThresholdOff,
          g_param_spec_double("threshold-off", "Threshold Off",
                              "A shown label stays until its probability falls below this (-1: the same as threshold)",
                              -1, 1, -1, gst::kControllable));
  install(kPropTopK, g_param_spec_int("top-k", "Top K", "At most this many labels are shown (0: no limit)", 0, G_MAXINT,
                                      defaults.decision.top_k, gst::kLive));
  install(kPropAttachEmbedding, g_param_spec_boolean("attach-embedding", "Attach Embedding",
                                                     "Put the unit image embedding in the metadata too",
                                                     defaults.attach_embedding, gst::kLive));
  install(kPropPostMessages, enum_spec("post-messages", "Post Messages", "Element messages to post on the bus",
                                       post_messages_type(), defaults.post_messages, gst::kLive));
  install(kPropPriorFile,
          g_param_spec_string("prior-file", "Prior File",
                              "File that what was learnt is kept in from run to run and from stream to stream: loaded "
                              "at start, saved at EOS and at stop, and every prior-interval (unset: nothing is kept). "
                              "Labels are known by name",
                              nullptr, gst::kAtStart));
  install(kPropPriorMode, enum_spec("prior-mode", "Prior Mode", "What is done with prior-file", prior_mode_type(),
                                    defaults.prior_mode, gst::kAtStart));
  install(kPropPriorInterval,
          g_param_spec_uint("prior-interval", "Prior Interval",
                            "Seconds of wall clock after which what was learnt is saved again (0: only at the end)", 0,
                            G_MAXUINT, defaults.prior_interval, gst::kLive));
  install(kPropPriorGroup,
          g_param_spec_string("prior-group", "Prior Group",
                              "Elements of one process with the same name here, model and labels learn together: what "
                              "one has seen corrects all. It outlives a change of stream, and elements that stop, but "
                              "the last (unset: each stream learns for itself)",
                              nullptr, gst::kAtStart));
  install(kPropMetricsFile,
          g_param_spec_string("metrics-file", "Metrics File",
                              "File to keep the numbers of stats in, as Prometheus reads them; replaced whole every "
                              "metrics-interval (unset: none)",
                              nullptr, gst::kAtStart));
  install(kPropMetricsInterval,
          g_param_spec_uint("metrics-interval", "Metrics Interval", "Seconds between two writings of metrics-file", 1,
                            G_MAXUINT, defaults.metrics_interval, gst::kLive));
  install(kPropStats, g_param_spec_boxed("stats", "Statistics", "What the element has done so far", GST_TYPE_STRUCTURE,
                                         gst::kReadOnly));
}

}  // namespace bcp::tagger

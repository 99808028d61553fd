// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/properties.hpp"

#include <vector>

#include "fleet/address.hpp"
#include "tagger/enums.hpp"

namespace bcp::tagger {
namespace {

using gst::kAtStart;
using gst::kControllable;
using gst::kLive;

// `labels` and `labels-file` exclude each other: the one set last is used. Clearing that one selects the bundle's
// labels.
void labels_set(Settings& s, const std::string& field, tag::LabelSource source) {
  if (!field.empty()) {
    s.label_source = source;
  } else if (s.label_source == source) {
    s.label_source = tag::LabelSource::kBundle;
  }
  ++s.labels_serial;
}

// Returns the value without its password: it appears in dot files and in the output of gst-launch-1.0 -v.
PropertyRow hidden(PropertyRow made) {
  made.get = [](const PropertySource& from, GValue* value) {
    gst::set_text(value, fleet::without_password(from.settings.prior_group));
  };
  return made;
}

std::vector<PropertyRow> make_rows() {
  return {
      row::text({"model", "Model",
                 "CLIP model: a directory (a bundle, or the layout of Hugging Face, open_clip or Immich), one ONNX "
                 "file in such a directory, or a name. A name is searched in GST_BCP_MODEL_PATH, the data directories "
                 "of the user and the system, and the plugin's installation directory",
                 kAtStart},
                BCP_FIELD(model)),
      row::after(row::text({"labels", "Labels",
                            "Labels to score, separated by commas or newlines. Write \\, for a comma inside a label "
                            "(\\\\, in gst-launch-1.0). Default: all labels of the model bundle. If labels and "
                            "labels-file are both set, the one set last is used",
                            kLive},
                           BCP_FIELD(labels)),
                 [](Settings& s) { labels_set(s, s.labels, tag::LabelSource::kText); }),
      row::after(
          row::text({"labels-file", "Labels File",
                     "File with one label per line, or a JSON array of names and objects (fields: label, threshold, "
                     "template, synonyms, colour, often). If labels and labels-file are both set, the one set last "
                     "is used",
                     kLive},
                    BCP_FIELD(labels_file)),
          [](Settings& s) { labels_set(s, s.labels_file, tag::LabelSource::kFile); }),
      row::after(row::text({"prompt-template", "Prompt Template",
                            "Text given to the model for each label, with {} in place of the label. Several "
                            "templates, one per line, are averaged. Default: the model's templates, usually "
                            "\"a photo of a {}\"",
                            kLive},
                           BCP_FIELD(prompt_template)),
                 [](Settings& s) { ++s.labels_serial; }),
      row::choice(
          {"execution-provider", "Execution Provider",
           "ONNX Runtime provider that runs the model. If a provider other than auto does not work, start fails",
           kAtStart},
          provider_type(), BCP_FIELD(encoder.provider)),
      row::choice(
          {"precision", "Precision",
           "Number format of the inference. If a precision other than auto is not available, start fails", kAtStart},
          precision_type(), BCP_FIELD(encoder.precision)),
      row::integer({"device-id", "Device Id", "Number of the CUDA device", kAtStart}, 0, 255,
                   BCP_FIELD(encoder.device_id)),
      row::integer(
          {"intra-op-threads", "Intra-Op Threads",
           "Threads for one inference (0 = half of the CPUs this process may use, at least 1, at most 4)", kAtStart},
          0, 256, BCP_FIELD(encoder.threads)),
      row::text({"model-instance-id", "Model Instance Id",
                 "Elements of one process with the same id share one model. The model is loaded once; on CUDA, frames "
                 "that arrive together run as one batch. These elements must have the same model, execution-provider, "
                 "precision, device-id and intra-op-threads. Default: not shared",
                 kAtStart},
                BCP_FIELD(model_instance_id)),
      row::boolean({"enabled", "Enabled", "Label frames; if false, frames pass through unchanged", kLive},
                   BCP_FIELD(enabled)),
      row::text({"source-id", "Source Id", "Name of the stream in results. Default: the element's name", kLive},
                BCP_FIELD(source_id)),
      row::choice(
          {"preset", "Preset",
           "Defaults of the BCP properties (anchor-confidence, strength, half-life and others) and of decision. "
           "A property that is set takes precedence",
           kAtStart},
          preset_type(), BCP_FIELD(preset)),
      row::choice({"correction", "Correction",
                   "Correction of the softmax scores. BCP keeps learning with either value. Presence probabilities are "
                   "not affected",
                   kLive},
                  correction_type(), BCP_FIELD(correction)),
      row::real(
          {"anchor-confidence", "Anchor Confidence",
           "Correct a frame only if the probability of its most likely label exceeds this value (mu)", kControllable},
          0, 1, BCP_FIELD(by_hand.anchor_confidence), BCP_ADAPTER(bcp.anchor_confidence)),
      row::real({"strength", "Strength", "Fraction of the correction that is added (0 = plain CLIP)", kControllable}, 0,
                1, BCP_FIELD(by_hand.strength), BCP_ADAPTER(bcp.strength)),
      row::integer({"anchors", "Anchors",
                    "Number of most likely labels whose corrections are averaged (0 = all labels, each weighted by the "
                    "square of its probability)",
                    kLive},
                   0, 3, BCP_FIELD(by_hand.anchors), BCP_ADAPTER(bcp.anchors)),
      row::boolean(
          {"keep-anchor", "Keep Anchor",
           "Keep plain CLIP's probability for the most likely label; only the other labels are corrected", kLive},
          BCP_FIELD(by_hand.keep_anchor), BCP_ADAPTER(bcp.keep_anchor)),
      row::boolean({"warm-up", "Warm-Up", "Correct no frame until the learnt statistics are stable", kLive},
                   BCP_FIELD(by_hand.warm_up), BCP_ADAPTER(bcp.warm_up)),
      row::real({"shrinkage", "Shrinkage", "Weight, in samples, of the assumption that labels are independent (lambda)",
                 kControllable},
                0, 1e9, BCP_FIELD(by_hand.shrinkage), BCP_ADAPTER(bcp.shrinkage)),
      row::real({"half-life", "Half-Life",
                 "Number of learnt samples after which a sample counts half (0 = never forget)", kControllable},
                0, 1e12, BCP_FIELD(by_hand.half_life), BCP_ADAPTER(bcp.half_life)),
      row::real({"novelty-distance", "Novelty Distance",
                 "Learn a frame only if its embedding differs by this much (1 - cosine) from the last learnt frame "
                 "(0 = learn every frame)",
                 kControllable},
                0, 2, BCP_FIELD(by_hand.novelty_distance), BCP_ADAPTER(novelty.distance)),
      row::whole64({"novelty-interval", "Novelty Interval",
                    "Learn a frame after this many nanoseconds even if it is similar to the last learnt frame "
                    "(0 = never)",
                    kLive},
                   0, G_MAXUINT64, BCP_FIELD(novelty_interval),
                   [](const Settings& s) { return s.novelty_interval_ns(s.preset); }),
      row::whole({"inference-interval", "Inference Interval",
                  "Score every n-th frame; the other frames carry the previous labels, marked as held", kLive},
                 1, G_MAXUINT, BCP_FIELD(pacing.interval)),
      row::real({"max-rate", "Max Rate",
                 "Maximum number of inferences per second of running time, or of wall-clock time in async mode "
                 "(0 = no limit)",
                 kLive},
                0, 1e6, BCP_FIELD(pacing.max_rate)),
      row::choice({"skip-static", "Skip Static",
                   "Skip inference while the picture does not change. One frame is still scored every 10 s. Ignored if "
                   "regions are scored",
                   kLive},
                  skip_static_type(), BCP_FIELD(skip_static)),
      row::choice({"mode", "Mode", "Whether a frame waits for its own labels", kAtStart}, mode_type(), BCP_FIELD(mode)),
      row::choice({"coverage", "Coverage", "Which part of the frame the model sees", kLive}, coverage_type(),
                  BCP_FIELD(coverage)),
      row::choice({"inference-region", "Inference Region", "Which parts of a frame are scored", kAtStart},
                  inference_region_type(), BCP_FIELD(inference_region)),
      row::integer(
          {"max-regions", "Max Regions", "Maximum number of regions scored per frame; the others are skipped", kLive},
          1, 1024, BCP_FIELD(max_regions)),
      row::choice({"decision", "Decision",
                   "Which probability of a label is published and compared with threshold. Default with preset=paper: "
                   "softmax",
                   kLive},
                  decision_type(), BCP_FIELD(decision), [](const Settings& s) { return s.rule(s.preset); }),
      row::share(
          {"threshold", "Threshold",
           "Show a label when its probability reaches this value (-1 = automatic: 0.5 with decision=presence, 0.2 with "
           "decision=softmax). 0.35 shows more labels, with lower precision",
           kControllable},
          BCP_FIELD(threshold)),
      row::share({"threshold-off", "Threshold Off",
                  "Hide a shown label when its probability falls below this value (-1 = automatic: 0.8 times the "
                  "threshold with "
                  "decision=presence, the threshold with decision=softmax)",
                  kControllable},
                 BCP_FIELD(threshold_off)),
      row::whole64({"min-duration", "Minimum Duration",
                    "Nanoseconds a label must stay above its threshold before it is shown", kLive},
                   0, G_MAXUINT64, BCP_FIELD(min_duration), BCP_FIELD(min_duration)),
      row::whole64({"smoothing", "Smoothing",
                    "Nanoseconds over which presence probabilities are averaged; a cut starts a new average (0 = no "
                    "averaging, for still pictures)",
                    kLive},
                   0, G_MAXUINT64, BCP_FIELD(smoothing), BCP_FIELD(smoothing)),
      row::after(
          row::text({"context-words", "Context Words",
                     "Words that compete with the labels but are never shown, so that a frame can have no label: "
                     "everyday (the model's list, or else the words of prior-table and 30 more), a file with "
                     "one word per line, or empty for none. A model without a text tower uses all words it has",
                     kLive},
                    BCP_FIELD(context_words)),
          [](Settings& s) { ++s.labels_serial; }),
      row::after(row::text({"prior-table", "Prior Table",
                            "How often things occur in pictures, alone and together: everyday (80 nouns), a file made "
                            "with gst-bcp prior table, or empty for none",
                            kLive},
                           BCP_FIELD(prior_table)),
                 [](Settings& s) { ++s.labels_serial; }),
      row::share({"prior-strength", "Prior Strength",
                  "Weight of prior-table, 0 to 1 (-1 = automatic: 1, or 0.5 for a model trained on labels)", kLive},
                 BCP_FIELD(prior_strength)),
      row::real(
          {"stream-prior", "Stream Prior",
           "Weight of the label counts learnt from the stream in presence probabilities; needs 10 labels or more. "
           "Measured effect of 1 on F1: +0.1 to +1.5 points with a zero-shot CLIP, down to -2 points with a model "
           "trained on labels",
           kLive},
          0, 1, BCP_FIELD(stream_prior)),
      row::integer({"top-k", "Top K", "Maximum number of labels shown (0 = no limit)", kLive}, 0, G_MAXINT,
                   BCP_FIELD(top_k)),
      row::boolean({"attach-embedding", "Attach Embedding",
                    "Also attach the image embedding (unit length) to the metadata", kLive},
                   BCP_FIELD(attach_embedding)),
      row::choice({"post-messages", "Post Messages", "Which element messages are posted on the bus", kLive},
                  post_messages_type(), BCP_FIELD(post_messages)),
      row::text({"prior-file", "Prior File",
                 "File that stores the learnt statistics: loaded at start, saved at EOS, at stop and every "
                 "prior-interval. Labels are matched by name. Default: the statistics are not stored",
                 kAtStart},
                BCP_FIELD(prior_file)),
      row::choice({"prior-mode", "Prior Mode", "How prior-file is used", kAtStart}, prior_mode_type(),
                  BCP_FIELD(prior_mode)),
      row::whole({"prior-interval", "Prior Interval",
                  "Seconds (wall clock) between two saves of prior-file (0 = save only at EOS and at stop)", kLive},
                 0, G_MAXUINT, BCP_FIELD(prior_interval)),
      hidden(row::text({"prior-group", "Prior Group",
                        "Elements of one process with the same prior-group, model and labels share the learnt "
                        "statistics. Kept across stream changes; dropped when the last element stops. With "
                        "redis://[user:password@]host:port/db/name, also processes on other machines share them "
                        "through Redis (docs/fleet.md); the password may be in GST_BCP_REDIS_PASSWORD, and is never "
                        "returned. "
                        "Default: each stream learns alone",
                        kAtStart},
                       BCP_FIELD(prior_group))),
      row::text(
          {"prior-base", "Prior Base",
           "Prior file to start from, of another camera or merged from several. It counts as at most 100 samples, "
           "so that the stream outgrows it. It is never written, and its statistics are not stored in "
           "prior-file. Labels are matched by name. Default: start from nothing",
           kAtStart},
          BCP_FIELD(prior_base)),
      row::whole({"scenes", "Scenes",
                  "Maximum number of scenes (day and night, presets of a moving camera) that the stream learns apart "
                  "(1 = all frames together). Stored in prior-file. Not available with prior-group",
                  kAtStart},
                 1, static_cast<guint>(adapt::kMostScenes), BCP_FIELD(scenes)),
      row::text({"metrics-file", "Metrics File",
                 "File for the values of stats, in the Prometheus text format; replaced every metrics-interval. "
                 "Default: no file",
                 kAtStart},
                BCP_FIELD(metrics_file)),
      row::whole({"metrics-interval", "Metrics Interval", "Seconds between two writes of metrics-file", kLive}, 1,
                 G_MAXUINT, BCP_FIELD(metrics_interval)),
      {g_param_spec_boxed("labels-in-use", "Labels In Use",
                          "Labels of the newest results: of labels, labels-file or the model. Empty before the start",
                          G_TYPE_STRV, gst::kReadOnly),
       [](const PropertySource& from, GValue* value) {
         const std::shared_ptr<GstBcpLabels> names = from.statistics.copy().label_names;
         const guint count = names ? gst_bcp_labels_get_size(names.get()) : 0;
         gchar** list = g_new0(gchar*, count + 1);
         for (guint i = 0; i < count; ++i) list[i] = g_strdup(gst_bcp_labels_get_name(names.get(), i));
         g_value_take_boxed(value, list);
       },
       nullptr},
      {g_param_spec_boxed("stats", "Statistics", "Counters and timings since start", GST_TYPE_STRUCTURE,
                          gst::kReadOnly),
       [](const PropertySource& from, GValue* value) {
         g_value_take_boxed(value, from.statistics.copy().to_structure());
       },
       nullptr},
  };
}

// Created by class_init. The class then owns the specifications; it is never unloaded.
const std::vector<PropertyRow>& rows() {
  static const std::vector<PropertyRow> table = make_rows();
  return table;
}

const PropertyRow* find(guint id) {
  return id >= 1 && id <= rows().size() ? &rows()[id - 1] : nullptr;
}

}  // namespace

void install_properties(GObjectClass* object_class) {
  guint id = 0;
  for (const PropertyRow& each : rows()) g_object_class_install_property(object_class, ++id, each.spec);
}

bool set_property(Settings& settings, guint id, const GValue* value) {
  const PropertyRow* property = find(id);
  if (!property || !property->set) return false;
  property->set(settings, value);
  return true;
}

bool get_property(const PropertySource& source, guint id, GValue* value) {
  const PropertyRow* property = find(id);
  if (!property) return false;
  property->get(source, value);
  return true;
}

}  // namespace bcp::tagger

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/properties.hpp"

#include <vector>

#include "tagger/enums.hpp"

namespace bcp::tagger {
namespace {

using gst::kAtStart;
using gst::kControllable;
using gst::kLive;

// The labels come from whichever of the two properties was set last; setting it to nothing goes back to the bundle's.
void labels_set(Settings& s, const std::string& field, tag::LabelSource source) {
  if (!field.empty()) {
    s.label_source = source;
  } else if (s.label_source == source) {
    s.label_source = tag::LabelSource::kBundle;
  }
  ++s.labels_serial;
}

std::vector<PropertyRow> make_rows() {
  return {
      row::text({"model", "Model",
                 "A CLIP on disk: a directory (a bundle, or as Hugging Face, open_clip or Immich have it), one "
                 "ONNX file in it, or a name looked up in GST_BCP_MODEL_PATH, the user's and the system's data "
                 "directories and where the plugin was installed",
                 kAtStart},
                BCP_FIELD(model)),
      row::after(row::text({"labels", "Labels",
                            "What to look for, separated by commas or newlines (\\, for a comma, \\\\, "
                            "in gst-launch-1.0); unset: all labels of "
                            "the bundle. Of labels and labels-file, the one set last counts",
                            kLive},
                           BCP_FIELD(labels)),
                 [](Settings& s) { labels_set(s, s.labels, tag::LabelSource::kText); }),
      row::after(
          row::text({"labels-file", "Labels File",
                     "File with one label a line, or a JSON array of names and of objects with label, "
                     "threshold, template, synonyms, colour and often. Of labels and labels-file, the one set last "
                     "counts",
                     kLive},
                    BCP_FIELD(labels_file)),
          [](Settings& s) { labels_set(s, s.labels_file, tag::LabelSource::kFile); }),
      row::after(row::text({"prompt-template", "Prompt Template",
                            "What is said to the model about a label, with {} for the label; several, one a line, are "
                            "averaged (unset: the model's own, usually \"a photo of a {}\")",
                            kLive},
                           BCP_FIELD(prompt_template)),
                 [](Settings& s) { ++s.labels_serial; }),
      row::choice({"execution-provider", "Execution Provider",
                   "What runs the model. A named provider is used, or start fails", kAtStart},
                  provider_type(), BCP_FIELD(encoder.provider)),
      row::choice({"precision", "Precision",
                   "What the model's arithmetic is done in. A named precision is used, or start fails", kAtStart},
                  precision_type(), BCP_FIELD(encoder.precision)),
      row::integer({"device-id", "Device Id", "Which device of the provider", kAtStart}, 0, 255,
                   BCP_FIELD(encoder.device_id)),
      row::integer({"intra-op-threads", "Intra-Op Threads",
                    "Threads inside one inference (0: half of the CPUs this process may use, 1 to 4)", kAtStart},
                   0, 256, BCP_FIELD(encoder.threads)),
      row::text({"model-instance-id", "Model Instance Id",
                 "Elements of one process with the same id share one model: it is loaded once, and on CUDA "
                 "frames that come together are one batch. They must agree on model, provider, precision and threads",
                 kAtStart},
                BCP_FIELD(model_instance_id)),
      row::boolean({"enabled", "Enabled", "Label frames; if false they pass untouched", kLive}, BCP_FIELD(enabled)),
      row::text({"source-id", "Source Id", "Name of the stream in results (unset: the element's name)", kLive},
                BCP_FIELD(source_id)),
      row::choice({"preset", "Preset", "Where the adapter's values start from; a property set by hand wins", kAtStart},
                  preset_type(), BCP_FIELD(preset)),
      row::choice({"correction", "Correction",
                   "How softmax scores are corrected. BCP goes on learning whatever is chosen. Presence probabilities "
                   "do not depend on it",
                   kLive},
                  correction_type(), BCP_FIELD(correction)),
      row::real({"anchor-confidence", "Anchor Confidence",
                 "A frame is corrected when its likeliest label is surer than this (mu)", kControllable},
                0, 1, BCP_FIELD(by_hand.anchor_confidence), BCP_ADAPTER(bcp.anchor_confidence)),
      row::real({"strength", "Strength", "Share of the correction that is added (0: plain CLIP)", kControllable}, 0, 1,
                BCP_FIELD(by_hand.strength), BCP_ADAPTER(bcp.strength)),
      row::integer({"anchors", "Anchors",
                    "How many of the likeliest labels the correction is averaged over (0: over all, each weighed "
                    "by the square of its probability)",
                    kLive},
                   0, 3, BCP_FIELD(by_hand.anchors), BCP_ADAPTER(bcp.anchors)),
      row::boolean({"keep-anchor", "Keep Anchor",
                    "The likeliest label keeps plain CLIP's probability; the others share the rest anew", kLive},
                   BCP_FIELD(by_hand.keep_anchor), BCP_ADAPTER(bcp.keep_anchor)),
      row::boolean({"warm-up", "Warm-Up", "Correct nothing until what was learnt has settled", kLive},
                   BCP_FIELD(by_hand.warm_up), BCP_ADAPTER(bcp.warm_up)),
      row::real({"shrinkage", "Shrinkage", "Weight, in samples, of the assumption that labels are independent (lambda)",
                 kControllable},
                0, 1e9, BCP_FIELD(by_hand.shrinkage), BCP_ADAPTER(bcp.shrinkage)),
      row::real({"half-life", "Half-Life", "Learnt samples after which a sample counts half (0: nothing is forgotten)",
                 kControllable},
                0, 1e12, BCP_FIELD(by_hand.half_life), BCP_ADAPTER(bcp.half_life)),
      row::real({"novelty-distance", "Novelty Distance",
                 "A frame is learnt when it differs this much (1 - cosine) from the last one learnt (0: always)",
                 kControllable},
                0, 2, BCP_FIELD(by_hand.novelty_distance), BCP_ADAPTER(novelty.distance)),
      row::whole64({"novelty-interval", "Novelty Interval",
                    "Nanoseconds after which a frame is learnt however alike (0: never)", kLive},
                   0, G_MAXUINT64, BCP_FIELD(novelty_interval),
                   [](const Settings& s) { return s.novelty_interval_ns(s.preset); }),
      row::whole({"inference-interval", "Inference Interval",
                  "Every n-th frame is scored; the others carry the last labels, marked held", kLive},
                 1, G_MAXUINT, BCP_FIELD(pacing.interval)),
      row::real({"max-rate", "Max Rate",
                 "At most this many inferences a second: of the stream's time, or in async "
                 "mode of the wall clock's (0: no limit)",
                 kLive},
                0, 1e6, BCP_FIELD(pacing.max_rate)),
      row::choice({"skip-static", "Skip Static",
                   "Whether frames that are due are left unscored while the picture does not change; one is scored at "
                   "least every 10 s. Not used with regions",
                   kLive},
                  skip_static_type(), BCP_FIELD(skip_static)),
      row::choice({"mode", "Mode", "Whether a frame waits for its own labels", kAtStart}, mode_type(), BCP_FIELD(mode)),
      row::choice({"coverage", "Coverage", "Which part of the frame the model sees", kLive}, coverage_type(),
                  BCP_FIELD(coverage)),
      row::choice({"inference-region", "Inference Region", "What of a frame is scored", kAtStart},
                  inference_region_type(), BCP_FIELD(inference_region)),
      row::integer({"max-regions", "Max Regions", "At most this many regions of a frame are scored, the first", kLive},
                   1, 1024, BCP_FIELD(max_regions)),
      row::choice({"decision", "Decision",
                   "Which probability of a label is published and decides whether the label is shown (preset=paper: "
                   "softmax, unless set)",
                   kLive},
                  decision_type(), BCP_FIELD(decision), [](const Settings& s) { return s.rule(s.preset); }),
      row::share({"threshold", "Threshold",
                  "A label is shown from this probability on (-1: by decision: presence 0.5, softmax 0.2). 0.35 shows "
                  "more labels, at some loss of precision",
                  kControllable},
                 BCP_FIELD(threshold)),
      row::share({"threshold-off", "Threshold Off",
                  "A shown label stays until its probability falls below this (-1: by decision: presence 0.8 times the "
                  "threshold, softmax the threshold)",
                  kControllable},
                 BCP_FIELD(threshold_off)),
      row::whole64({"min-duration", "Minimum Duration",
                    "Nanoseconds a label must be past its threshold before it is shown", kLive},
                   0, G_MAXUINT64, BCP_FIELD(min_duration), BCP_FIELD(min_duration)),
      row::whole64({"smoothing", "Smoothing",
                    "Nanoseconds of a shot that presence probabilities are averaged over; a cut begins anew (0: each "
                    "frame for itself, for still pictures)",
                    kLive},
                   0, G_MAXUINT64, BCP_FIELD(smoothing), BCP_FIELD(smoothing)),
      row::after(row::text({"context-words", "Context Words",
                            "Words that compete with the labels and are never shown, so that a frame may show none of "
                            "the labels: everyday (the model's own, else the words of prior-table and 30 more), a file "
                            "with one word a line, "
                            "or empty for none. A model without a text tower uses all words it has",
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
                  "Weight of prior-table, 0 to 1 (-1: the model's: 1, or 0.5 for a model trained on labels)", kLive},
                 BCP_FIELD(prior_strength)),
      row::real(
          {"stream-prior", "Stream Prior",
           "Weight of what the stream itself has shown (BCP's counts) in presence probabilities, with 10 labels or "
           "more. With a zero-shot CLIP 1 gained 0.1 to 1.5 points of F1; with a model trained on labels it lost up "
           "to 2",
           kLive},
          0, 1, BCP_FIELD(stream_prior)),
      row::integer({"top-k", "Top K", "At most this many labels are shown (0: no limit)", kLive}, 0, G_MAXINT,
                   BCP_FIELD(top_k)),
      row::boolean({"attach-embedding", "Attach Embedding", "Put the unit image embedding in the metadata too", kLive},
                   BCP_FIELD(attach_embedding)),
      row::choice({"post-messages", "Post Messages", "Element messages to post on the bus", kLive},
                  post_messages_type(), BCP_FIELD(post_messages)),
      row::text({"prior-file", "Prior File",
                 "File that what was learnt is kept in from run to run and from stream to stream: loaded "
                 "at start, saved at EOS and at stop, and every prior-interval (unset: nothing is kept). "
                 "Labels are known by name",
                 kAtStart},
                BCP_FIELD(prior_file)),
      row::choice({"prior-mode", "Prior Mode", "What is done with prior-file", kAtStart}, prior_mode_type(),
                  BCP_FIELD(prior_mode)),
      row::whole({"prior-interval", "Prior Interval",
                  "Seconds of wall clock after which what was learnt is saved again (0: only at the end)", kLive},
                 0, G_MAXUINT, BCP_FIELD(prior_interval)),
      row::text({"prior-group", "Prior Group",
                 "Elements of one process with the same name here, model and labels learn together: what "
                 "one has seen corrects all. It outlives a change of stream, and elements that stop, but "
                 "the last (unset: each stream learns for itself)",
                 kAtStart},
                BCP_FIELD(prior_group)),
      row::text({"metrics-file", "Metrics File",
                 "File to keep the numbers of stats in, as Prometheus reads them; replaced whole every "
                 "metrics-interval (unset: none)",
                 kAtStart},
                BCP_FIELD(metrics_file)),
      row::whole({"metrics-interval", "Metrics Interval", "Seconds between two writings of metrics-file", kLive}, 1,
                 G_MAXUINT, BCP_FIELD(metrics_interval)),
      {g_param_spec_boxed("stats", "Statistics", "What the element has done so far", GST_TYPE_STRUCTURE,
                          gst::kReadOnly),
       [](const PropertySource& from, GValue* value) {
         g_value_take_boxed(value, from.statistics.copy().to_structure());
       },
       nullptr},
  };
}

// Made when the class is. The class owns the specifications from then on, and is never unloaded.
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

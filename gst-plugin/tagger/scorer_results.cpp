// SPDX-License-Identifier: LGPL-2.1-or-later
// From the embeddings of a frame to its results, events and statistics.

#include <algorithm>
#include <utility>

#include "tagger/scorer.hpp"

namespace bcp::tagger {
namespace {

const char* name_of(decide::Rule rule) {
  return rule == decide::Rule::kPresence ? "presence" : "softmax";
}

}  // namespace

void Scorer::count() {
  const std::optional<Made> made = std::exchange(uncounted_, std::nullopt);
  if (!made) return;
  statistics_.with([&](Statistics& s) {
    s.add_run(static_cast<std::uint64_t>(batch_));
    s.add_result(times_, made->shown);
    s.regions_scored += made->regions;
    s.samples = made->samples;
    s.taught = made->taught;
    s.set_scene(made->scene);
    s.decision = name_of(made->settings.rule);
    s.threshold = made->settings.decision.threshold;
    s.threshold_off = decide::threshold_off(made->settings.decision, made->settings.decision.threshold);
    s.calibrated = made->calibrated;
    if (made->result) s.recent_labels.update(made->result.get(), shown_, RecentLabels::Clock::now());
  });
}

// REQUIRES: mutex_ is held.
Result<Results> Scorer::tag(const Frame& frame, bool all) {
  const tag::TagSettings settings = frame.settings->tagging(preset_);
  const std::size_t whole = frame.settings->scores_frames() ? 1 : 0;
  Results results(whole);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Result<std::span<const float>> embedding = encoder_.embedding(whole + i);
    if (!embedding && !all) continue;
    if (!embedding) return embedding.error();
    const Status tagged =
        tagger_.tag_region(*embedding, regions_[i], seconds(frame.moment.running_time), settings, outcome_);
    if (!tagged) return tagged.error();
    results.push_back(make_result(frame, regions_[i], *embedding));
  }
  if (whole == 0) return results;
  const Result<std::span<const float>> embedding = encoder_.embedding(0);
  if (!embedding && !all) return Results();
  if (!embedding) return embedding.error();
  const Status tagged = tagger_.tag(*embedding, seconds(frame.moment.running_time), settings, outcome_);
  if (!tagged) return tagged.error();
  results[0] = make_result(frame, -1, *embedding);
  remember(frame, *embedding);
  return results;
}

// REQUIRES: mutex_ is held. Events are for whole frames: regions are not tracked from frame to frame.
std::vector<decide::Event> Scorer::update_events(const Frame& frame) {
  if (frame.settings->post_messages != PostMessages::kEvents || !frame.settings->scores_frames()) {
    events_ = {};
    return {};
  }
  const auto name = [this](std::size_t k) { return tagger_.labels()[k].name; };
  return events_.update(outcome_.shown, outcome_.probability, name, seconds(frame.moment.stream_time));
}

// REQUIRES: mutex_ is held.
void Scorer::remember(const Frame& frame, std::span<const float> embedding) {
  tag::Recent::Entry& entry = recent_.add();
  entry.pts = frame.pts;
  entry.embedding.assign(embedding.begin(), embedding.end());
  entry.shown.clear();
  for (std::size_t k = 0; k < outcome_.shown.size(); ++k)
    if (outcome_.shown[k]) entry.shown.push_back(tagger_.labels()[k].name);
}

// REQUIRES: mutex_ is held.
gst::BcpResultPtr Scorer::make_result(const Frame& frame, int region, std::span<const float> embedding) {
  const Settings& settings = *frame.settings;
  const adapt::Scores& scores = outcome_.scores;
  const gst::BcpResultBuilderPtr making(gst_bcp_result_builder_new(label_names_.get()));
  GstBcpResultBuilder* const builder = making.get();
  const auto set = [builder](GstBcpScoreField field, std::span<const double> values) {
    gst_bcp_result_builder_set_values(builder, field, values.data(), static_cast<guint>(values.size()));
  };
  set(GST_BCP_SCORE_FIELD_ZERO_SHOT, scores.zero_shot);
  set(GST_BCP_SCORE_FIELD_CORRECTION, scores.correction);
  set(GST_BCP_SCORE_FIELD_LOGIT, scores.corrected);
  set(GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX, scores.zero_shot_probability);
  set(GST_BCP_SCORE_FIELD_SOFTMAX, scores.probability);
  set(GST_BCP_SCORE_FIELD_PROBABILITY, outcome_.probability);
  const bool by_presence = outcome_.rule == decide::Rule::kPresence;
  if (by_presence) {
    set(GST_BCP_SCORE_FIELD_PRIOR, outcome_.presence.prior);
    set(GST_BCP_SCORE_FIELD_EVIDENCE, outcome_.presence.evidence);
  }
  for (std::size_t k = 0; k < scores.zero_shot.size(); ++k) {
    const int flags = (outcome_.shown[k] ? GST_BCP_SCORE_SHOWN : 0) |
                      (outcome_.shown_zero_shot[k] ? GST_BCP_SCORE_SHOWN_ZERO_SHOT : 0);
    if (flags == 0) continue;
    gst_bcp_result_builder_set_flags(builder, static_cast<guint>(k), static_cast<GstBcpScoreFlags>(flags));
  }
  gst_bcp_result_builder_set_decision(builder, by_presence ? GST_BCP_DECISION_PRESENCE : GST_BCP_DECISION_SOFTMAX,
                                      outcome_.threshold, outcome_.calibrated);
  if (outcome_.context) gst_bcp_result_builder_set_context(builder, outcome_.context->c_str(), outcome_.context_weight);
  gst_bcp_result_builder_set_pts(builder, frame.pts);
  gst_bcp_result_builder_set_region_id(builder, region);
  gst_bcp_result_builder_set_anchor(builder, scores.anchor, scores.anchor_probability);
  gst_bcp_result_builder_set_samples(builder, scores.samples);
  gst_bcp_result_builder_set_source_id(builder, source_id(settings).c_str());
  if (settings.attach_embedding) {
    gst_bcp_result_builder_set_embedding(builder, embedding.data(), static_cast<guint>(embedding.size()));
  }
  return gst::BcpResultPtr(gst_bcp_result_builder_end(builder));
}

// Properties and element names may hold any bytes (gst-launch-1.0 does not check them); results and messages are UTF-8.
std::string Scorer::source_id(const Settings& settings) const {
  const std::string& id = settings.source_id.empty() ? element_name_ : settings.source_id;
  return gst::CharPtr(g_utf8_make_valid(id.c_str(), -1)).get();
}

}  // namespace bcp::tagger

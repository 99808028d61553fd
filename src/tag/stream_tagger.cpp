// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/stream_tagger.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bcp::tag {
namespace {

constexpr double kRegionMemory = 5;  // seconds
constexpr double kClose = 0.05;      // smaller differences are not worth an inference

// The correction of BCP: nothing while it is off.
adapt::BcpSettings bcp_settings(const TagSettings& settings) {
  adapt::BcpSettings bcp = settings.adapter.bcp;
  if (settings.correction != adapt::Correction::kBcp) bcp.strength = 0;
  return bcp;
}

bool is_close(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= kClose; });
}

}  // namespace

Encoder encoder_of(const clip::Bundle& bundle) {
  const clip::PresenceTraits traits = clip::presence_traits(bundle);
  Encoder encoder{bundle.logit_scale, traits.scale, traits.prior_strength.value_or(1),
                  traits.cut.value_or(decide::ShotMean::kCut), bundle.logit_bias};
  if (bundle.scoring == clip::Scoring::kSigmoid)
    encoder.sigmoid = {traits.slope.value_or(1), traits.offset.value_or(0), traits.slope && traits.offset};
  return encoder;
}

StreamTagger::StreamTagger(Vocabulary words, const Encoder& encoder) : encoder_(encoder) {
  set_words(std::move(words));
  join(prior::PriorGroup::alone());
}

void StreamTagger::join(std::shared_ptr<prior::PriorGroup> group) {
  group_ = std::move(group);
  set_learnt(group_->learnt(names_of(words_.labels)));
}

void StreamTagger::set_learnt(std::shared_ptr<prior::Learnt> learnt) {
  learnt->join();
  if (learnt_) learnt_->leave();
  learnt_ = std::move(learnt);
  forgotten_ = learnt_->forgotten();
  taught_.reset();
}

void StreamTagger::set_words(Vocabulary words) {
  words_ = std::move(words);
  if (encoder_.sigmoid) words_.context = {};
  const auto labels = words_.labels.embeddings.rows(), context = words_.context.embeddings.rows();
  text_.resize(labels + context, words_.labels.embeddings.cols());
  text_.topRows(labels) = words_.labels.embeddings;
  if (context > 0) text_.bottomRows(context) = words_.context.embeddings;
  scores_.resize(static_cast<std::size_t>(text_.rows()));
  nothing_.assign(this->labels().size(), 0);
  thresholds_.clear();
  if (std::any_of(this->labels().begin(), this->labels().end(), [](const auto& label) { return label.threshold; })) {
    for (const auto& label : this->labels()) thresholds_.push_back(label.threshold);
  }
  make_presence(strength_);
}

void StreamTagger::make_presence(double strength) {
  strength_ = strength;
  decide::Presence::Words words{words_.words, names_of(words_.context)};
  if (words.labels.empty())
    for (const clip::Label& label : labels()) words.labels.push_back({.name = label.name, .often = label.often});
  const double scale = encoder_.scale.value_or(1);
  presence_.emplace(words, words_.table, decide::Presence::Encoder{strength, scale, encoder_.cut, encoder_.sigmoid});
  region_presence_.emplace(words, words_.table, decide::Presence::Encoder{0, scale, encoder_.cut, encoder_.sigmoid});
  taught_.reset();
}

// Applies changes by other streams of the group, and settings of presence.
void StreamTagger::notice_changes(const TagSettings& settings) {
  const unsigned forgotten = learnt_->forgotten();
  if (std::exchange(forgotten_, forgotten) != forgotten) gate_.reset();
  const double strength = settings.prior_strength.value_or(encoder_.prior_strength);
  if (strength != strength_) make_presence(strength);
  const unsigned taught = learnt_->taught().version();
  if (std::exchange(taught_, taught) != taught) presence_->set_taught(learnt_->taught().sum());
}

std::span<const double> StreamTagger::score(std::span<const float> embedding) {
  clip::score(text_, embedding, encoder_.logit_scale, scores_, encoder_.logit_bias);
  return scores_;
}

Status StreamTagger::judge(std::span<const double> scores, const TagSettings& settings, Outcome& outcome) {
  if (settings.rule != decide::Rule::kPresence) return ok();
  if (Status scored = presence_->score(scores, outcome.presence); !scored) return scored;
  if (settings.stream_prior > 0 && !presence_->is_sigmoid()) {
    shift_.resize(labels().size());
    learnt_->habits(std::span(outcome.presence.anchors).first(labels().size()), settings.stream_prior, shift_);
    presence_->shift(shift_, outcome.presence);
  }
  return ok();
}

Status StreamTagger::tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
                         Outcome& outcome) {
  const std::span<const double> scores = score(embedding);
  notice_changes(settings);
  if (Status judged = judge(scores, settings, outcome); !judged) return judged;
  const Result<bool> learnt = learnt_->tag(scores.first(labels().size()), bcp_settings(settings), outcome.scores,
                                           [&] { return gate_.admit(embedding, time, settings.adapter.novelty); });
  if (!learnt) return learnt.error();
  outcome.learnt = *learnt;
  outcome.scene_change.reset();
  if (*learnt) outcome.scene_change = learnt_->follow(embedding, time);
  decide(*presence_, frame_, time, settings, outcome);
  return ok();
}

Status StreamTagger::tag_region(std::span<const float> embedding, int id, std::optional<double> time,
                                const TagSettings& settings, Outcome& outcome) {
  const std::span<const double> scores = score(embedding);
  notice_changes(settings);
  if (settings.rule == decide::Rule::kPresence) {
    if (Status scored = region_presence_->score(scores, outcome.presence); !scored) return scored;
  }
  const Status corrected = learnt_->correct(scores.first(labels().size()), bcp_settings(settings), outcome.scores);
  if (!corrected) return corrected;
  outcome.learnt = false;
  decide(*region_presence_, region_track(id, time), time, settings, outcome);
  return ok();
}

Status StreamTagger::look(std::span<const float> embedding, const TagSettings& settings, Outcome& outcome) {
  const std::span<const double> scores = score(embedding);
  notice_changes(settings);
  if (Status judged = judge(scores, settings, outcome); !judged) return judged;
  const Status corrected = learnt_->correct(scores.first(labels().size()), bcp_settings(settings), outcome.scores);
  if (!corrected) return corrected;
  outcome.learnt = false;
  still_ = {};
  decide(*presence_, still_, std::nullopt, settings, outcome);
  return ok();
}

// Without a time a region has no memory: it is unknown how long it was out of sight.
StreamTagger::Track& StreamTagger::region_track(int id, std::optional<double> time) {
  const auto is_gone = [&](const auto& region) {
    return !time || *time < region.second.seen || *time - region.second.seen > kRegionMemory;
  };
  std::erase_if(regions_, is_gone);
  Track& track = regions_[id];
  track.seen = time.value_or(0);
  return track;
}

void StreamTagger::decide(decide::Presence& presence, Track& track, std::optional<double> time,
                          const TagSettings& settings, Outcome& outcome) {
  outcome.rule = settings.rule;
  outcome.threshold = settings.decision.threshold;
  const std::vector<double>& softmax = outcome.scores.zero_shot_probability;
  if (settings.rule == decide::Rule::kSoftmax) {
    outcome.calibrated = false;
    outcome.context = nullptr;
    outcome.probability = outcome.scores.probability;
    outcome.shown = track.decision.decide(outcome.probability, thresholds_, settings.decision, time);
    outcome.shown_zero_shot = track.zero_shot.decide(softmax, thresholds_, settings.decision, time);
    outcome.settled = track.decision.is_settled(outcome.probability, thresholds_, settings.decision);
    return;
  }
  presence.smooth(track.shot, time, settings.smoothing, outcome.presence);
  if (outcome.presence.cut && !std::exchange(track.relabelled, false)) track.decision.cut();
  outcome.calibrated = presence.is_calibrated() && (presence.is_sigmoid() || encoder_.scale);
  outcome.probability = outcome.presence.smoothed;
  explain(presence, outcome);
  outcome.shown = nothing_;  // too few words to decide "none of these"
  if (presence.can_decide())
    outcome.shown = track.decision.decide(outcome.probability, thresholds_, settings.decision, time);
  outcome.shown_zero_shot = track.zero_shot.decide(softmax, {}, decide::settings_of(decide::Rule::kSoftmax));
  // More frames like this one would move the mean of the shot towards this frame's values.
  outcome.settled = is_close(outcome.presence.smoothed, outcome.presence.probability) &&
                    (!presence.can_decide() ||
                     track.decision.is_settled(outcome.presence.probability, thresholds_, settings.decision));
}

void StreamTagger::explain(const decide::Presence& presence, Outcome& outcome) const {
  outcome.context = nullptr;
  outcome.context_weight = 0;
  const std::vector<double>& p = outcome.presence.anchors;
  if (p.empty()) return;
  const auto best = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
  const bool is_context = best >= presence.labels();
  outcome.context = is_context ? &presence.anchor(best) : nullptr;
  outcome.context_weight = is_context ? p[best] : 0;
}

Status StreamTagger::teach(std::span<const float> embedding, std::size_t label, bool present, bool missed) {
  if (Status scored = presence_->score(score(embedding), taught_frame_); !scored) return scored;
  learnt_->teach([&](decide::Taught& taught) { presence_->teach(taught, taught_frame_, label, present, missed); });
  return ok();
}

Status StreamTagger::teach(std::span<const float> embedding, std::span<const std::optional<bool>> present) {
  if (Status scored = presence_->score(score(embedding), taught_frame_); !scored) return scored;
  learnt_->teach([&](decide::Taught& taught) { presence_->teach(taught, taught_frame_, present); });
  return ok();
}

void StreamTagger::relabel(Vocabulary words) {
  prior::Successor learnt = group_->prepare(names_of(words.labels));
  relabel(std::move(words), std::move(learnt));
}

void StreamTagger::relabel(Vocabulary words, prior::Successor learnt) {
  relabel(std::move(words), group_->learnt(std::move(learnt)));
}

bool StreamTagger::try_relabel(Vocabulary& words, prior::Successor& learnt) {
  std::shared_ptr<prior::Learnt> next = group_->try_learnt(learnt);
  if (!next) return false;
  relabel(std::move(words), std::move(next));
  return true;
}

void StreamTagger::relabel(Vocabulary words, std::shared_ptr<prior::Learnt> learnt) {
  const std::vector<int> from = adapt::rows_of(learnt->labels(), names_of(words_.labels));
  set_words(std::move(words));
  set_learnt(std::move(learnt));
  frame_.decision.relabel(from);
  frame_.zero_shot.relabel(from);
  frame_.shot.reset();
  frame_.relabelled = true;
  regions_.clear();
}

void StreamTagger::restart() {
  gate_.reset();
  frame_ = {};
  regions_.clear();
  learnt_->restart_scenes();
}

}  // namespace bcp::tag

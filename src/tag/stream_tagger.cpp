// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/stream_tagger.hpp"

#include <algorithm>
#include <utility>

namespace bcp::tag {
namespace {

// What BCP adds: nothing while it is switched off.
adapt::BcpSettings bcp_settings(const TagSettings& settings) {
  adapt::BcpSettings bcp = settings.adapter.bcp;
  if (settings.correction != adapt::Correction::kBcp) bcp.strength = 0;
  return bcp;
}

}  // namespace

StreamTagger::StreamTagger(clip::LabelSet labels, double logit_scale) : logit_scale_(logit_scale) {
  set_labels(std::move(labels));
  join(prior::PriorGroup::alone());
}

void StreamTagger::join(std::shared_ptr<prior::PriorGroup> group) {
  group_ = std::move(group);
  set_learnt(group_->learnt(names_of(labels_)));
}

void StreamTagger::set_learnt(std::shared_ptr<prior::Learnt> learnt) {
  learnt->join();
  if (learnt_) learnt_->leave();
  learnt_ = std::move(learnt);
  forgotten_ = learnt_->forgotten();
}

void StreamTagger::set_labels(clip::LabelSet labels) {
  labels_ = std::move(labels);
  logits_.resize(labels_.labels.size());
  thresholds_.clear();
  if (std::any_of(labels_.labels.begin(), labels_.labels.end(), [](const auto& label) { return label.threshold; })) {
    for (const auto& label : labels_.labels) thresholds_.push_back(label.threshold);
  }
}

// Also when another stream of the group has asked for it.
void StreamTagger::notice_forgetting() {
  const unsigned forgotten = learnt_->forgotten();
  if (std::exchange(forgotten_, forgotten) == forgotten) return;
  gate_.reset();
}

Status StreamTagger::tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
                         Outcome& outcome) {
  clip::score(labels_.embeddings, embedding, logit_scale_, logits_);
  notice_forgetting();
  const Result<bool> learnt = learnt_->tag(logits_, bcp_settings(settings), outcome.scores,
                                           [&] { return gate_.admit(embedding, time, settings.adapter.novelty); });
  if (!learnt) return learnt.error();
  outcome.learnt = *learnt;
  outcome.shown = decision_.decide(outcome.scores.probability, thresholds_, settings.decision);
  outcome.shown_zero_shot =
      zero_shot_decision_.decide(outcome.scores.zero_shot_probability, thresholds_, settings.decision);
  return ok();
}

Status StreamTagger::tag_region(std::span<const float> embedding, const TagSettings& settings, Outcome& outcome) {
  clip::score(labels_.embeddings, embedding, logit_scale_, logits_);
  notice_forgetting();
  const Status corrected = learnt_->correct(logits_, bcp_settings(settings), outcome.scores);
  if (!corrected) return corrected;
  outcome.learnt = false;
  region_decision_.reset();
  zero_shot_region_decision_.reset();
  outcome.shown = region_decision_.decide(outcome.scores.probability, thresholds_, settings.decision);
  outcome.shown_zero_shot =
      zero_shot_region_decision_.decide(outcome.scores.zero_shot_probability, thresholds_, settings.decision);
  return ok();
}

void StreamTagger::relabel(clip::LabelSet labels) {
  prior::Successor learnt = group_->prepare(names_of(labels));
  relabel(std::move(labels), std::move(learnt));
}

void StreamTagger::relabel(clip::LabelSet labels, prior::Successor learnt) {
  const std::vector<int> from = adapt::rows_of(learnt.labels(), names_of(labels_));
  set_labels(std::move(labels));
  set_learnt(group_->learnt(std::move(learnt)));
  decision_.relabel(from);
  zero_shot_decision_.relabel(from);
}

void StreamTagger::restart() {
  gate_.reset();
  decision_.reset();
  zero_shot_decision_.reset();
}

std::vector<std::string> names_of(const clip::LabelSet& labels) {
  std::vector<std::string> all;
  all.reserve(labels.labels.size());
  for (const auto& label : labels.labels) all.push_back(label.name);
  return all;
}

}  // namespace bcp::tag

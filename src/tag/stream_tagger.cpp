// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/stream_tagger.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace bcp::tag {

StreamTagger::StreamTagger(clip::LabelSet labels, double logit_scale)
    : logit_scale_(logit_scale), bcp_(labels.labels.size()) {
  set_labels(std::move(labels));
}

void StreamTagger::set_labels(clip::LabelSet labels) {
  labels_ = std::move(labels);
  logits_.resize(labels_.labels.size());
  thresholds_.clear();
  if (std::any_of(labels_.labels.begin(), labels_.labels.end(), [](const auto& label) { return label.threshold; })) {
    for (const auto& label : labels_.labels) thresholds_.push_back(label.threshold);
  }
}

Status StreamTagger::tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
                         Outcome& outcome) {
  clip::score(labels_.embeddings, embedding, logit_scale_, logits_);
  adapt::BcpSettings bcp = settings.adapter.bcp;
  if (settings.correction == Correction::kNone) bcp.strength = 0;
  if (Status corrected = bcp_.correct(logits_, bcp, outcome.scores); !corrected) return corrected;
  outcome.shown = decision_.decide(outcome.scores.probability, thresholds_, settings.decision);
  outcome.shown_zero_shot =
      zero_shot_decision_.decide(outcome.scores.zero_shot_probability, thresholds_, settings.decision);
  outcome.learnt = gate_.admit(embedding, time, settings.adapter.novelty);
  return outcome.learnt ? bcp_.learn(logits_, bcp) : ok();
}

void StreamTagger::relabel(clip::LabelSet labels) {
  std::unordered_map<std::string_view, int> old;
  for (std::size_t i = 0; i < labels_.labels.size(); ++i) old.emplace(labels_.labels[i].name, static_cast<int>(i));
  std::vector<int> from;
  for (const auto& label : labels.labels) {
    const auto found = old.find(label.name);
    from.push_back(found == old.end() ? -1 : found->second);
  }
  bcp_.relabel(from);
  decision_.relabel(from);
  zero_shot_decision_.relabel(from);
  set_labels(std::move(labels));
}

void StreamTagger::restart() {
  gate_.reset();
  decision_.reset();
  zero_shot_decision_.reset();
}

void StreamTagger::forget() {
  bcp_ = adapt::Bcp(labels_.labels.size());
  gate_.reset();
}

std::vector<std::string> StreamTagger::names() const {
  std::vector<std::string> all;
  all.reserve(labels_.labels.size());
  for (const auto& label : labels_.labels) all.push_back(label.name);
  return all;
}

adapt::SnapshotParts StreamTagger::snapshot() const {
  return {.labels = names(), .seen = bcp_.seen().parts(), .settled = bcp_.settled()};
}

std::size_t StreamTagger::restore(const adapt::Snapshot& snapshot) {
  const std::vector<int> from = snapshot.rows_of(names());
  bcp_ = adapt::Bcp(snapshot.seen.relabelled(from), snapshot.settled);
  return static_cast<std::size_t>(std::count_if(from.begin(), from.end(), [](int row) { return row >= 0; }));
}

}  // namespace bcp::tag

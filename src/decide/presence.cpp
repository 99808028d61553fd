// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/presence.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "decide/logistic.hpp"

namespace bcp::decide {
namespace {

constexpr double kEvidenceTemperature = 2;
constexpr double kAlpha = 0.65, kAlphaSlope = 0.28, kAlphaAnchors = 110;  // more words make each p smaller
constexpr double kBeta = -0.35;
constexpr double kLeastPrior = 1e-4;
constexpr double kVarianceKnown = 0.5 * 0.5, kVarianceUnknown = 1.5 * 1.5;  // of d: words in the table, and others

using Values = Eigen::Map<const Eigen::ArrayXd>;

Values view(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

double alpha_of(std::size_t anchors) {
  return kAlpha + kAlphaSlope * std::max(0.0, std::log(static_cast<double>(anchors) / kAlphaAnchors));
}

}  // namespace

Presence::Presence(const Words& words, std::shared_ptr<const PriorTable> table, Encoder encoder)
    : sigmoid_(encoder.sigmoid),
      scale_(sigmoid_ ? sigmoid_->slope : encoder.scale),
      alpha_(alpha_of(words.labels.size() + words.context.size())),
      cut_(encoder.cut),
      prior_(words.labels, sigmoid_ ? std::span<const std::string>() : words.context,
             sigmoid_ ? PriorTable::none() : std::move(table), encoder.strength),
      d_(words.labels.size()),
      scores_(prior_.anchors()) {
  for (const PriorLabel& label : words.labels) names_.push_back(label.name);
  if (!sigmoid_) names_.insert(names_.end(), words.context.begin(), words.context.end());
}

double Presence::probability(std::size_t label, double score) const {
  return logistic(score + g_ + d_[label]);
}

void Presence::score_sigmoid(PresenceFrame& frame) const {
  frame.anchors.clear();
  frame.prior.assign(labels(), std::numeric_limits<double>::quiet_NaN());
  frame.score.resize(labels());
  frame.probability.resize(labels());
  for (std::size_t i = 0; i < labels(); ++i) {
    frame.score[i] = scores_[i] + sigmoid_->offset;
    frame.probability[i] = probability(i, frame.score[i]);
  }
  frame.evidence = frame.score;
}

Status Presence::score(std::span<const double> scores, PresenceFrame& frame) {
  if (scores.size() != anchors())
    return Error{ErrorCode::kInvalid, std::to_string(scores.size()) + " scores for " + std::to_string(anchors()) +
                                          " labels and context words"};
  const auto count = static_cast<Eigen::Index>(anchors());
  Eigen::Map<Eigen::ArrayXd> s(scores_.data(), count);
  s = view(scores) * scale_;
  if (!s.isFinite().all())
    return Error{ErrorCode::kRuntime, "a score is not a finite number: this frame gets no labels"};
  if (sigmoid_) {
    score_sigmoid(frame);
    return ok();
  }

  frame.anchors.resize(anchors());
  Eigen::Map<Eigen::ArrayXd> p(frame.anchors.data(), count);
  const double top = s.maxCoeff();
  p = (s - top).exp();
  p /= p.sum();
  frame.prior.resize(labels());
  prior_.mix(frame.anchors, frame.prior);

  const auto k = static_cast<Eigen::Index>(labels());
  const double log_sum = std::log(((s - top) / kEvidenceTemperature).exp().sum());
  frame.evidence.resize(labels());
  frame.score.resize(labels());
  Eigen::Map<Eigen::ArrayXd> prior(frame.prior.data(), k), evidence(frame.evidence.data(), k), z(frame.score.data(), k);
  prior = prior.max(kLeastPrior).min(ConditionalPrior::kMost);
  evidence = (s.head(k) - top) / kEvidenceTemperature - log_sum + std::log(static_cast<double>(count));
  z = prior.log() - (-prior).log1p() + alpha_ * evidence + kBeta;

  frame.probability.resize(labels());
  for (std::size_t i = 0; i < labels(); ++i) frame.probability[i] = probability(i, frame.score[i]);
  return ok();
}

void Presence::shift(std::span<const double> log_odds, PresenceFrame& frame) const {
  for (std::size_t i = 0; i < labels(); ++i) {
    frame.score[i] += log_odds[i];
    frame.prior[i] = logistic(std::log(frame.prior[i] / (1 - frame.prior[i])) + log_odds[i]);
    frame.probability[i] = probability(i, frame.score[i]);
  }
}

void Presence::smooth(ShotMean& shot, std::optional<double> time, double span, PresenceFrame& frame) {
  frame.cut = shot.add(scores_, frame.score, time, span, cut_);
  frame.smoothed.resize(labels());
  for (std::size_t i = 0; i < labels(); ++i) frame.smoothed[i] = probability(i, shot.mean()[i]);
}

void Presence::set_taught(const Taught& taught) {
  g_ = taught.offset();
  for (std::size_t k = 0; k < labels(); ++k) {
    const auto found = taught.offsets().find(names_[k]);
    d_[k] = found == taught.offsets().end() ? 0 : found->second.mean;
  }
  if (!sigmoid_) prior_.set_taught(taught, names_);
}

Taught::Subject Presence::subject(const PresenceFrame& frame, std::size_t label) const {
  return {names_[label], prior_.is_known(label) ? kVarianceKnown : kVarianceUnknown, frame.score[label]};
}

void Presence::teach(Taught& taught, const PresenceFrame& frame, std::size_t label, bool present, bool missed) const {
  Taught::Subject said = subject(frame, label);
  said.present = present;
  taught.say(said, missed);
}

void Presence::teach(Taught& taught, const PresenceFrame& frame, std::span<const std::optional<bool>> present) const {
  std::vector<Taught::Subject> subjects;
  for (std::size_t k = 0; k < labels(); ++k) {
    subjects.push_back(subject(frame, k));
    subjects.back().present = present[k];
  }
  std::vector<Taught::Anchor> anchors;
  for (std::size_t a = 0; a < frame.anchors.size(); ++a) anchors.push_back({names_[a], frame.anchors[a]});
  taught.say_all(subjects, anchors);
}

std::vector<std::string> context_for(std::span<const PriorLabel> labels, std::span<const std::string> all) {
  std::unordered_set<std::string> taken;
  for (const PriorLabel& label : labels) {
    taken.insert(label.name);
    if (!label.alias.empty()) taken.insert(label.alias);
  }
  std::vector<std::string> words;
  std::copy_if(all.begin(), all.end(), std::back_inserter(words),
               [&](const auto& word) { return !taken.contains(word); });
  return words;
}

}  // namespace bcp::decide

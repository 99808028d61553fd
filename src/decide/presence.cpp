// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/presence.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace bcp::decide {
namespace {

constexpr double kEvidenceTemperature = 2;
constexpr double kAlpha = 0.65, kAlphaSlope = 0.28, kAlphaAnchors = 110;  // more words spread p thinner
constexpr double kBeta = -0.35;
constexpr double kLeastPrior = 1e-4;
constexpr double kSdKnown = 0.5, kSdUnknown = 1.5, kSdGlobal = 0.1;  // of d for words the table knows, and not; of g
constexpr double kMissedWeight = 0.5;  // a missed label is reported because it is true: that is half a proof
constexpr double kLeastInformation = 1e-6;

using Values = Eigen::Map<const Eigen::ArrayXd>;

Values view(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

double alpha_of(std::size_t anchors) {
  return kAlpha + kAlphaSlope * std::max(0.0, std::log(static_cast<double>(anchors) / kAlphaAnchors));
}

double logistic(double x) {
  return 1 / (1 + std::exp(-std::clamp(x, -60.0, 60.0)));
}

double square(double x) {
  return x * x;
}

}  // namespace

Presence::Presence(const Words& words, std::shared_ptr<const PriorTable> table, Encoder encoder)
    : scale_(encoder.scale),
      alpha_(alpha_of(words.labels.size() + words.context.size())),
      prior_(words.labels, words.context, std::move(table), encoder.strength),
      g_variance_(square(kSdGlobal)),
      d_(words.labels.size()),
      scores_(prior_.anchors()) {
  for (std::size_t k = 0; k < d_.size(); ++k) d_variance_.push_back(square(prior_.is_known(k) ? kSdKnown : kSdUnknown));
}

double Presence::probability(std::size_t label, double score) const {
  return logistic(score + g_ + d_[label]);
}

Status Presence::score(std::span<const double> scores, std::optional<double> time, double span, PresenceFrame& frame) {
  if (scores.size() != anchors())
    return Error{ErrorCode::kInvalid, std::to_string(scores.size()) + " scores for " + std::to_string(anchors()) +
                                          " labels and context words"};
  const auto count = static_cast<Eigen::Index>(anchors());
  Eigen::Map<Eigen::ArrayXd> s(scores_.data(), count);
  s = view(scores) * scale_;
  if (!s.isFinite().all())
    return Error{ErrorCode::kRuntime, "a score is not a finite number: this frame passes without labels"};

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

  frame.cut = shot_.add(scores_, frame.score, time, span);
  frame.probability.resize(labels());
  frame.smoothed.resize(labels());
  for (std::size_t i = 0; i < labels(); ++i) {
    frame.probability[i] = probability(i, frame.score[i]);
    frame.smoothed[i] = probability(i, shot_.mean()[i]);
  }
  return ok();
}

// One step of an extended Kalman filter on (d_k, g).
void Presence::teach(std::size_t label, double score, bool present, bool missed) {
  const double weight = missed ? kMissedWeight : 1;
  const double q = probability(label, score);
  const double information = std::max(weight * q * (1 - q), kLeastInformation);
  const double residual = weight * ((present ? 1 : 0) - q);
  const double total = 1 + information * (d_variance_[label] + g_variance_);
  d_[label] += d_variance_[label] * residual / total;
  g_ += g_variance_ * residual / total;
  d_variance_[label] -= square(d_variance_[label]) * information / total;
  g_variance_ -= square(g_variance_) * information / total;
}

// The exact Gaussian step on (g, d_1 .. d_K), in which all labels share g.
void Presence::teach(const PresenceFrame& frame, std::span<const double> present) {
  std::vector<double> information(labels()), residual(labels());
  double precision = 0, pull = 0;
  bool complete = true;
  for (std::size_t k = 0; k < labels(); ++k) {
    if (std::isnan(present[k])) {
      complete = false;
      continue;
    }
    const double q = probability(k, frame.score[k]);
    information[k] = std::max(q * (1 - q), kLeastInformation);
    residual[k] = present[k] - q;
    const double total = 1 + information[k] * d_variance_[k];
    precision += information[k] / total;
    pull += residual[k] / total;
  }
  g_variance_ = 1 / (1 / g_variance_ + precision);
  const double step = g_variance_ * pull;
  g_ += step;
  for (std::size_t k = 0; k < labels(); ++k) {
    const double total = 1 + information[k] * d_variance_[k];
    d_[k] += d_variance_[k] * (residual[k] - information[k] * step) / total;
    d_variance_[k] /= total;
  }
  if (complete) prior_.learn(present, frame.anchors);
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

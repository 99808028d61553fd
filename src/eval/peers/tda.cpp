// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/tda.hpp"

#include <Eigen/Core>
#include <cmath>
#include <utility>

namespace bcp::eval {
namespace {

// The authors' configs/imagenet.yaml.
struct CacheSettings {
  std::size_t capacity;  // per label
  double weight;         // alpha
  double sharpness;      // beta
};
constexpr CacheSettings kPositive{.capacity = 3, .weight = 2.0, .sharpness = 5.0};
constexpr CacheSettings kNegative{.capacity = 2, .weight = 0.117, .sharpness = 1.0};
constexpr double kLeastUnsure = 0.2, kMostUnsure = 0.5;  // entropy in nats, divided by log2 K
constexpr double kLeastSuspect = 0.03, kMostSuspect = 1.0;

// The weighted similarity of each stored embedding of the label to this one.
Eigen::ArrayXd affinities(const Bank& bank, std::size_t label, std::span<const float> embedding,
                          const CacheSettings& settings) {
  const Eigen::Map<const Eigen::VectorXf> x(embedding.data(), static_cast<Eigen::Index>(embedding.size()));
  const Eigen::ArrayXd cosines = (bank.rows(label) * x).cast<double>();
  return settings.weight * (-settings.sharpness * (1 - cosines)).exp();
}

}  // namespace

Result<std::unique_ptr<Peer>> Tda::make(const Labels& labels) {
  const double bytes = static_cast<double>(kPositive.capacity + kNegative.capacity) *
                       static_cast<double>(labels.count) * static_cast<double>(labels.width) * sizeof(float);
  if (bytes > static_cast<double>(kMaxPeerBytes)) return too_large("TDA", labels, bytes);
  return std::unique_ptr<Peer>(new Tda(labels));
}

Tda::Tda(const Labels& labels)
    : FrameByFrame(labels, Order::kLearnFirst),
      sure_(labels.count, labels.width, kPositive.capacity),
      unsure_(labels.count, labels.width, kNegative.capacity),
      suspects_(labels.count) {}

void Tda::learn(const Sample& sample, std::span<const double> p) {
  const std::size_t label = likeliest(p);
  const double h = entropy(p);
  if (sure_.accepts(label, h)) sure_.keep(label, sample.embedding, h);

  // The authors divide nats by bits, so that a uniform p gives ln 2, not 1. A single label is always certain.
  const double unsure = p.size() > 1 ? h / std::log2(static_cast<double>(p.size())) : 0;
  if (unsure <= kLeastUnsure || unsure >= kMostUnsure || !unsure_.accepts(label, h)) return;
  const std::size_t place = unsure_.keep(label, sample.embedding, h);
  suspects_[label].resize(static_cast<std::size_t>(unsure_.rows(label).rows()));
  std::vector<std::uint32_t>& suspects = suspects_[label][place];
  suspects.clear();
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] > kLeastSuspect && p[k] < kMostSuspect) suspects.push_back(static_cast<std::uint32_t>(k));
  }
}

void Tda::correct(const Sample& sample, std::span<const double> /*p*/, std::span<double> corrected) {
  for (std::size_t label = 0; label < labels(); ++label) {
    if (sure_.rows(label).rows() > 0) {
      corrected[label] += affinities(sure_, label, sample.embedding, kPositive).sum();
    }
    if (unsure_.rows(label).rows() == 0) continue;
    const Eigen::ArrayXd against = affinities(unsure_, label, sample.embedding, kNegative);
    for (std::size_t place = 0; place < suspects_[label].size(); ++place) {
      for (const std::uint32_t k : suspects_[label][place]) corrected[k] -= against[static_cast<Eigen::Index>(place)];
    }
  }
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/peers/tda.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace bcp::adapt {
namespace {

// The authors' configs/imagenet.yaml.
struct CacheSettings {
  std::size_t capacity;  // a label
  double weight;         // alpha
  double sharpness;      // beta
};
constexpr CacheSettings kPositive{.capacity = 3, .weight = 2.0, .sharpness = 5.0};
constexpr CacheSettings kNegative{.capacity = 2, .weight = 0.117, .sharpness = 1.0};
constexpr double kLeastUnsure = 0.2, kMostUnsure = 0.5;  // of the entropy in nats over log2 K
constexpr double kLeastSuspect = 0.03, kMostSuspect = 1.0;

}  // namespace

TdaCache::TdaCache(std::size_t labels, std::size_t width, std::size_t capacity)
    : width_(width), capacity_(capacity), by_label_(labels) {}

void TdaCache::offer(std::size_t label, std::span<const float> embedding, double entropy,
                     std::vector<std::uint32_t> votes) {
  std::vector<std::uint32_t>& mine = by_label_[label];
  std::uint32_t place;
  if (mine.size() < capacity_) {
    place = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({entropy, std::move(votes)});
    rows_.insert(rows_.end(), embedding.begin(), embedding.end());
  } else {
    place = mine.back();
    if (entropy >= entries_[place].entropy) return;
    mine.pop_back();
    entries_[place] = {entropy, std::move(votes)};
    std::copy(embedding.begin(), embedding.end(), rows_.begin() + static_cast<std::ptrdiff_t>(place * width_));
  }
  mine.insert(std::upper_bound(mine.begin(), mine.end(), entropy,
                               [&](double value, std::uint32_t entry) { return value < entries_[entry].entropy; }),
              place);
}

void TdaCache::vote(std::span<const float> embedding, double weight, double sharpness, std::span<double> scores) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (entries_.empty()) return;
  const auto size = static_cast<Eigen::Index>(entries_.size()), width = static_cast<Eigen::Index>(width_);
  cosines_.resize(entries_.size());
  Eigen::Map<Eigen::VectorXf>(cosines_.data(), size).noalias() =
      Eigen::Map<const Rows>(rows_.data(), size, width) * Eigen::Map<const Eigen::VectorXf>(embedding.data(), width);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const double affinity = weight * std::exp(-sharpness * (1 - static_cast<double>(cosines_[i])));
    for (const std::uint32_t k : entries_[i].votes) scores[k] += affinity;
  }
}

Result<std::unique_ptr<Peer>> Tda::make(const Labels& labels) {
  const double bytes = static_cast<double>(kPositive.capacity + kNegative.capacity) *
                       static_cast<double>(labels.count) * static_cast<double>(labels.width) * sizeof(float);
  if (bytes > static_cast<double>(kMaxPeerBytes)) return too_large("TDA", labels, bytes);
  return std::unique_ptr<Peer>(new Tda(labels));
}

Tda::Tda(const Labels& labels)
    : FrameByFrame(labels, Order::kLearnFirst),
      positive_(labels.count, labels.width, kPositive.capacity),
      negative_(labels.count, labels.width, kNegative.capacity) {}

void Tda::learn(const Sample& sample, std::span<const double> p) {
  const std::size_t label = likeliest(p);
  const double h = entropy(p);
  positive_.offer(label, sample.embedding, h, {static_cast<std::uint32_t>(label)});

  // The authors divide nats by bits, so that a uniform p comes to ln 2, not 1. A single label is always sure.
  const double unsure = p.size() > 1 ? h / std::log2(static_cast<double>(p.size())) : 0;
  if (unsure <= kLeastUnsure || unsure >= kMostUnsure) return;
  std::vector<std::uint32_t> suspects;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] > kLeastSuspect && p[k] < kMostSuspect) suspects.push_back(static_cast<std::uint32_t>(k));
  }
  negative_.offer(label, sample.embedding, h, std::move(suspects));
}

void Tda::correct(const Sample& sample, std::span<const double> /*p*/, std::span<double> corrected) {
  positive_.vote(sample.embedding, kPositive.weight, kPositive.sharpness, corrected);
  negative_.vote(sample.embedding, -kNegative.weight, kNegative.sharpness, corrected);
}

}  // namespace bcp::adapt

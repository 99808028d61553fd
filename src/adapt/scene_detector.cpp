// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/scene_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bcp::adapt {
namespace {

// Squared. Infinite between embeddings of different sizes: they are of different models.
double distance(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

void move_mean(std::vector<float>& mean, std::span<const float> towards, double share) {
  for (std::size_t i = 0; i < mean.size(); ++i)
    mean[i] += static_cast<float>(share * (static_cast<double>(towards[i]) - static_cast<double>(mean[i])));
}

}  // namespace

SceneDetector::SceneDetector(std::vector<Scene> scenes, std::size_t active)
    : scenes_(std::move(scenes)), active_(active) {
  for (const Scene& scene : scenes_) {
    next_id_ = std::max(next_id_, scene.id + 1);
    clock_ = std::max(clock_, scene.last);
  }
}

std::optional<std::size_t> SceneDetector::observe(std::span<const float> embedding, std::optional<double> time) {
  if (recent_.size() != embedding.size()) {
    recent_.assign(embedding.begin(), embedding.end());
    recent_samples_ = 1;
  } else {
    recent_samples_ = std::min(recent_samples_ + 1, kRecent);
    move_mean(recent_, embedding, 1 / recent_samples_);
  }
  Scene& scene = scenes_[active_];
  if (scene.mean.size() != embedding.size()) {
    const std::size_t known = nearest(recent_);
    if (known != active_) return known;
    scene = {.id = scene.id, .mean = {embedding.begin(), embedding.end()}, .samples = 1, .last = scene.last};
    return std::nullopt;
  }
  if (recent_samples_ <= kFirst) {
    if (const std::size_t known = nearest(recent_); known != active_) return known;
  }
  if (const auto known = find_return(embedding)) return known;
  if (!is_far()) {
    far_ = 0;
    follow(embedding);
    return std::nullopt;
  }
  if (far_++ == 0 || (time && (!far_since_ || *time < *far_since_))) far_since_ = time;
  const bool lasts = !time || *time - *far_since_ >= kPatience;
  return far_ >= kFor && lasts ? std::optional(scenes_.size()) : std::nullopt;
}

std::size_t SceneDetector::nearest(std::span<const float> to) const {
  std::size_t best = active_;
  for (std::size_t i = 0; i < scenes_.size(); ++i)
    if (distance(to, scenes_[i].mean) < distance(to, scenes_[best].mean)) best = i;
  return best;
}

std::optional<std::size_t> SceneDetector::find_return(std::span<const float> embedding) {
  evidence_.resize(scenes_.size());
  const double own = std::max(distance(embedding, scenes_[active_].mean), kNearest);
  std::size_t best = active_;
  for (std::size_t i = 0; i < scenes_.size(); ++i) {
    if (i == active_) continue;
    const double ratio = own / std::max(distance(embedding, scenes_[i].mean), kNearest);
    evidence_[i] = std::max(0.0, evidence_[i] + std::clamp(std::log(ratio), -kMostEvidence, kMostEvidence));
    if (evidence_[i] >= kReturn && (best == active_ || evidence_[i] > evidence_[best])) best = i;
  }
  return best == active_ ? std::nullopt : std::optional(best);
}

// The noise of the active scene counts: that of others may be from other times.
bool SceneDetector::is_far() const {
  const Scene& scene = scenes_[active_];
  if (scene.samples < kKnown) return false;
  // A mean of fewer frames is farther away by chance.
  const double limit = std::max(kLeast, kNew * scene.noise * kRecent / recent_samples_);
  return std::all_of(scenes_.begin(), scenes_.end(),
                     [&](const Scene& each) { return distance(recent_, each.mean) > limit; });
}

void SceneDetector::follow(std::span<const float> embedding) {
  Scene& scene = scenes_[active_];
  const double off = distance(recent_, scene.mean);
  ++scene.samples;
  move_mean(scene.mean, embedding, 1 / std::min(scene.samples, kLongest));
  // Else the mean is one of the recent frames only, or r is one of a few frames: as far as another scene.
  if (scene.samples > kRecent && recent_samples_ >= kRecent)
    scene.noise += (off - scene.noise) / std::min(scene.samples - kRecent, kNoiseFrames);
}

void SceneDetector::enter(std::size_t scene) {
  scenes_[active_].last = ++clock_;
  active_ = scene;
  scenes_[active_].last = ++clock_;
  clear_evidence();
}

void SceneDetector::add() {
  scenes_.push_back({.id = next_id_++, .mean = recent_, .samples = recent_samples_});
}

std::pair<std::size_t, std::size_t> SceneDetector::to_merge() const {
  std::size_t oldest = active_ == 0 ? 1 : 0;
  for (std::size_t i = 0; i < scenes_.size(); ++i)
    if (i != active_ && scenes_[i].last < scenes_[oldest].last) oldest = i;
  std::size_t near = oldest == 0 ? 1 : 0;
  const auto off = [&](std::size_t i) { return distance(scenes_[i].mean, scenes_[oldest].mean); };
  for (std::size_t i = 0; i < scenes_.size(); ++i)
    if (i != oldest && off(i) < off(near)) near = i;
  return {oldest, near};
}

void SceneDetector::merge(std::size_t from, std::size_t into) {
  const Scene& old = scenes_[from];
  Scene& kept = scenes_[into];
  const double share = std::min(old.samples, kLongest) /
                       std::max(std::min(old.samples, kLongest) + std::min(kept.samples, kLongest), 1.0);
  if (old.mean.size() == kept.mean.size()) move_mean(kept.mean, old.mean, share);
  kept.noise += share * (old.noise - kept.noise);
  kept.samples += old.samples;
  scenes_.erase(scenes_.begin() + static_cast<std::ptrdiff_t>(from));
  if (active_ > from) --active_;
  clear_evidence();
}

void SceneDetector::restart() {
  recent_.clear();
  recent_samples_ = 0;
  clear_evidence();
}

void SceneDetector::clear_evidence() {
  evidence_.assign(scenes_.size(), 0);
  far_ = 0;
  far_since_.reset();
}

}  // namespace bcp::adapt

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/dwell.hpp"

#include <algorithm>
#include <cmath>

#include "eval/orders.hpp"

namespace bcp::eval {
namespace {

// From `least` to `most`, uniform in the logarithm.
double log_uniform(double least, double most, Random& random) {
  const double share = random.uniform();
  return least > 0 ? least * std::pow(most / least, share) : most * share;
}

// The seed of a shot, independent of earlier draws.
std::uint64_t seed_of(std::uint64_t seed, std::size_t shot) {
  return (seed + 1) * 0x9e3779b97f4a7c15 + shot;
}

}  // namespace

std::vector<Shot> draw_shots(std::size_t pictures, const DwellSettings& settings) {
  Random random(settings.seed);
  std::vector<std::uint32_t> waiting;
  std::vector<Shot> shots;
  while (shots.size() < settings.shots) {
    Shot shot;
    // Not the current picture: that would only make the shot longer.
    const bool returns = random.uniform() < settings.revisit && shots.size() >= 2;
    if (returns) shot.picture = shots[random.below(shots.size() - 1)].picture;
    if (!returns || shot.picture == shots.back().picture) {
      if (waiting.empty()) {
        waiting = file_order(pictures);
        random.shuffle(waiting);
      }
      shot.picture = waiting.back();
      waiting.pop_back();
    }
    const double frames = log_uniform(1, static_cast<double>(settings.longest) + 1, random);
    shot.frames = static_cast<std::uint32_t>(std::min(frames, static_cast<double>(settings.longest)));
    shot.change = log_uniform(settings.least_change, settings.most_change, random);
    shots.push_back(shot);
  }
  return shots;
}

double expected_frames(const DwellSettings& settings) {
  const auto longest = static_cast<double>(settings.longest);
  return static_cast<double>(settings.shots) * std::max(1.0, longest / std::log(longest + 1));
}

DwellStream::DwellStream(Stream& stream, std::span<const Shot> shots, const DwellSettings& settings)
    : stream_(stream), shots_(shots), settings_(settings) {}

Status DwellStream::begin_shot() {
  const Result<Sample> sample = stream_.sample(shots_[shot_].picture);
  if (!sample) return sample.error();
  picture_logits_.assign(sample->logits.begin(), sample->logits.end());
  picture_.assign(sample->embedding.begin(), sample->embedding.end());
  random_ = Random(seed_of(settings_.seed, shot_));
  change_.assign(picture_.size() + (stream_.has_text() ? 0 : picture_logits_.size()), 0.0);
  return ok();
}

// A stationary process: the first frame is as far from the picture as any other.
void DwellStream::change_frame() {
  const double keep = number_ == 0 ? 0 : settings_.memory, fresh = std::sqrt(1 - keep * keep);
  for (double& x : change_) x = keep * x + fresh * random_.bell();
}

void DwellStream::change_embedding() {
  const double length = shots_[shot_].change / std::sqrt(static_cast<double>(picture_.size()));
  embedding_.resize(picture_.size());
  double squares = 0;
  for (std::size_t i = 0; i < picture_.size(); ++i) {
    const double x = static_cast<double>(picture_[i]) + length * change_[i];
    embedding_[i] = static_cast<float>(x);
    squares += x * x;
  }
  const auto scale = static_cast<float>(1 / std::sqrt(squares));
  for (float& x : embedding_) x *= scale;
}

void DwellStream::change_logits() {
  logits_ = picture_logits_;
  if (!stream_.has_text()) {
    const double length = shots_[shot_].change * settings_.logit_change;
    for (std::size_t k = 0; k < logits_.size(); ++k) logits_[k] += length * change_[picture_.size() + k];
    return;
  }
  // Changes the logits by the change of the embedding, whether the picture's logits were computed here or given.
  const Labels labels = stream_.text();
  const auto width = static_cast<Eigen::Index>(labels.width);
  const Eigen::Map<const clip::TextMatrix> text(labels.text.data(), static_cast<Eigen::Index>(labels.count), width);
  const Eigen::Map<const Eigen::VectorXf> embedding(embedding_.data(), width), picture(picture_.data(), width);
  moved_.noalias() = text * (embedding - picture);
  for (std::size_t k = 0; k < logits_.size(); ++k)
    logits_[k] += labels.scale * static_cast<double>(moved_[static_cast<Eigen::Index>(k)]);
}

Result<const DwellStream::Frame*> DwellStream::next() {
  if (shot_ == shots_.size()) return nullptr;
  if (number_ == 0) {
    if (const Status begun = begin_shot(); !begun) return begun.error();
  }
  if (shots_[shot_].change > 0) {
    change_frame();
    if (!picture_.empty()) change_embedding();
    change_logits();
  } else if (number_ == 0) {
    embedding_ = picture_;
    logits_ = picture_logits_;
  }
  frame_ = {{logits_, embedding_}, shot_, number_, static_cast<double>(frames_++) / settings_.frame_rate};
  if (++number_ == shots_[shot_].frames) {
    number_ = 0;
    ++shot_;
  }
  return &frame_;
}

}  // namespace bcp::eval

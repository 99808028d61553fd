// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/frame_by_frame.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "adapt/softmax.hpp"

namespace bcp::eval {
namespace {

template <typename T>
bool all_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

}  // namespace

Status FrameByFrame::adapt(const Sample& sample, bool learn, adapt::Scores& scores) {
  if (!all_finite(sample.logits) || !all_finite(sample.embedding)) {
    return Error{ErrorCode::kRuntime,
                 "a score or the embedding is not a finite number: the model failed on this frame, which gets no "
                 "labels"};
  }
  scores.resize(labels_);
  scores.anchor = -1;
  scores.anchor_probability = 0;
  scores.samples = static_cast<double>(samples_);
  if (labels_ == 0) return ok();

  std::copy(sample.logits.begin(), sample.logits.end(), scores.zero_shot.begin());
  adapt::softmax(scores.zero_shot, scores.zero_shot_probability);
  scores.anchor_probability = scores.zero_shot_probability[likeliest(scores.zero_shot_probability)];

  if (learn && order_ == Order::kLearnFirst) count(sample, scores);
  scores.samples = static_cast<double>(samples_);
  scores.corrected = scores.zero_shot;
  correct(sample, scores.zero_shot_probability, scores.corrected);
  if (learn && order_ == Order::kCorrectFirst) count(sample, scores);

  if (!all_finite<double>(scores.corrected)) {
    return Error{ErrorCode::kRuntime,
                 "a corrected score is not a finite number: this sample has no scores; use --adapter "
                 "bcp"};
  }
  for (std::size_t k = 0; k < labels_; ++k) scores.correction[k] = scores.corrected[k] - scores.zero_shot[k];
  adapt::softmax(scores.corrected, scores.probability);
  return ok();
}

void FrameByFrame::count(const Sample& sample, const adapt::Scores& scores) {
  learn(sample, scores.zero_shot_probability);
  ++samples_;
}

std::size_t likeliest(std::span<const double> p) {
  return static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

double entropy(std::span<const double> p) {
  double sum = 0;
  for (const double x : p) {
    if (x > 0) sum -= x * std::log(x);
  }
  return sum;
}

Error too_large(const char* name, const Labels& labels, double bytes) {
  const auto mebibytes = [](double n) { return std::to_string(std::llround(n / (1 << 20))); };
  return {ErrorCode::kUnsupported,
          std::string(name) + " would keep " + mebibytes(bytes) + " MiB for " + std::to_string(labels.count) +
              " labels of " + std::to_string(labels.width) + " numbers, more than the limit of " +
              mebibytes(static_cast<double>(kMaxPeerBytes)) + " MiB: use fewer labels, or --adapter bcp"};
}

}  // namespace bcp::eval

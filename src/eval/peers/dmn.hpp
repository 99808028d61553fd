// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DMN, dual memory networks (Zhang et al., CVPR 2024), the variant for zero-shot test-time adaptation, in its authors'
// settings for ImageNet.
//
// Up to 50 unit embeddings x_i per label are stored by the most probable label of their frame, those with the lowest
// entropy, and the label's text embedding. Their sum, weighted by the similarity to the frame x, is the label's
// classifier:
//   f_k = sum_i exp(-5.5 (1 - <x, x_i>)) x_i,   q = softmax(scale <x, f_k> / |f_k|)
//   softmax(s*) = (p + q) / 2
//
// A frame is stored before it is corrected. Sources and doubts: README.md.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "eval/peers/bank.hpp"
#include "eval/peers/frame_by_frame.hpp"

namespace bcp::eval {

class Dmn final : public FrameByFrame {
 public:
  static Result<std::unique_ptr<Peer>> make(const Labels& labels);

 private:
  explicit Dmn(const Labels& labels);
  void learn(const Sample& sample, std::span<const double> p) override;
  void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) override;

  double scale_;
  Bank::Rows text_;
  Bank memory_;
  std::vector<double> logits_, q_;  // scratch
};

}  // namespace bcp::eval

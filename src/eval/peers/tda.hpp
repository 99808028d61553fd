// SPDX-License-Identifier: LGPL-2.1-or-later
//
// TDA, a training-free dynamic adapter (Karmanov et al., CVPR 2024), in its authors' settings for ImageNet.
//
// Two caches of unit embeddings x_i, each stored by the most probable label of its frame; those with the lowest entropy
// H stay:
//   positive: up to 3 per label, of any frame; raises the label it is stored for
//   negative: up to 2 per label, of uncertain frames, 0.2 < H / log2(K) < 0.5; lowers each label whose p was above 0.03
//   s* = s + 2 sum_i+ exp(-5 (1 - <x, x_i>)) e(label_i) - 0.117 sum_i- exp(-1 (1 - <x, x_i>)) mask_i
//
// A frame is cached before it is corrected. Sources and doubts: README.md.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "eval/peers/bank.hpp"
#include "eval/peers/frame_by_frame.hpp"

namespace bcp::eval {

class Tda final : public FrameByFrame {
 public:
  static Result<std::unique_ptr<Peer>> make(const Labels& labels);

 private:
  explicit Tda(const Labels& labels);
  void learn(const Sample& sample, std::span<const double> p) override;
  void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) override;

  Bank sure_, unsure_;
  std::vector<std::vector<std::vector<std::uint32_t>>> suspects_;  // by label and position in unsure_
};

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// TDA, a training-free dynamic adapter (Karmanov et al., CVPR 2024), in its authors' settings for ImageNet.
//
// Two caches of unit embeddings x_i, each kept under the likeliest label of its frame; the ones of least entropy H
// stay:
//   positive: up to 3 a label, of any frame; it speaks for the label it is kept under
//   negative: up to 2 a label, of unsure frames, 0.2 < H / log2(K) < 0.5; it speaks against each label whose p was
//   above
//             0.03
//   s* = s + 2 sum_i+ exp(-5 (1 - <x, x_i>)) e(label_i) - 0.117 sum_i- exp(-1 (1 - <x, x_i>)) mask_i
//
// A frame is cached before it is corrected. Sources and doubts: peers.md.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "adapt/peers/frame_by_frame.hpp"
#include "base/result.hpp"

namespace bcp::adapt {

// Embeddings kept under labels, a few each: those of least entropy.
class TdaCache {
 public:
  TdaCache(std::size_t labels, std::size_t width, std::size_t capacity);

  // Keeps the embedding under `label` if there is room, or if it is surer than the least sure one, whose place it then
  // takes. `votes`: the labels it speaks of.
  void offer(std::size_t label, std::span<const float> embedding, double entropy, std::vector<std::uint32_t> votes);

  // Adds weight * exp(-sharpness (1 - cos)) of each embedding kept to the labels it speaks of.
  void vote(std::span<const float> embedding, double weight, double sharpness, std::span<double> scores);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    double entropy;
    std::vector<std::uint32_t> votes;
  };

  std::size_t width_, capacity_;
  std::vector<float> rows_;     // entry i's embedding is row i
  std::vector<Entry> entries_;  // in the order they came; a place is taken over
  std::vector<std::vector<std::uint32_t>>
      by_label_;                // entries of each label, the surest first, the newest last of equals
  std::vector<float> cosines_;  // scratch
};

class Tda final : public FrameByFrame {
 public:
  static Result<std::unique_ptr<Peer>> make(const Labels& labels);

 private:
  explicit Tda(const Labels& labels);
  void learn(const Sample& sample, std::span<const double> p) override;
  void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) override;

  TdaCache positive_, negative_;
};

}  // namespace bcp::adapt

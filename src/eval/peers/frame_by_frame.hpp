// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The common part of the peers: a frame is checked and scored by plain CLIP, then learnt and corrected in the order of
// the method's authors, and the result is filled in. A method defines how it learns and corrects.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstddef>
#include <span>

#include "eval/peers/peer.hpp"

namespace bcp::eval {

class FrameByFrame : public Peer {
 public:
  Status adapt(const Sample& sample, bool learn, adapt::Scores& scores) final;

 protected:
  // Whether a frame is learnt before it is corrected, and so affects its own correction.
  enum class Order { kLearnFirst, kCorrectFirst };

  FrameByFrame(const Labels& labels, Order order) : labels_(labels.count), width_(labels.width), order_(order) {}

  std::size_t labels() const { return labels_; }
  std::size_t width() const { return width_; }
  std::size_t samples() const { return samples_; }  // learnt so far

 private:
  // A frame with finite numbers, and plain CLIP's probabilities p. There is at least one label.
  virtual void learn(const Sample& sample, std::span<const double> p) = 0;
  // Computes s* of such a frame. `corrected` contains s.
  virtual void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) = 0;

  void count(const Sample& sample, const adapt::Scores& scores);

  std::size_t labels_, width_;
  std::size_t samples_ = 0;
  Order order_;
};

// The most probable label, the first of equals. REQUIRES: not empty.
std::size_t likeliest(std::span<const double> p);

// In nats; 0 for certainty.
double entropy(std::span<const double> p);

// The memory limit of a method for one stream. Peer::make() fails above it.
inline constexpr std::size_t kMaxPeerBytes = std::size_t{1} << 30;

// The error for `bytes` above that limit.
Error too_large(const char* name, const Labels& labels, double bytes);

}  // namespace bcp::eval

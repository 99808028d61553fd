// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A video made from pictures: each is shown for a while as a shot of nearly equal frames, and some come back. video.md
// describes this and the source of the values.
//
// The same seed gives the same frames on every machine, except for the last digits of the mathematical library.
//
// Thread safety: none.

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "eval/random.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

struct DwellSettings {
  std::size_t shots = 1000;
  std::size_t longest = 300;  // frames of a shot: log-uniform from 1 to this
  double revisit = 0.2;       // chance that a shot shows an earlier picture again
  // How far the frames of a shot are from its picture, as the length of the change of the unit embedding: log-uniform
  // from the first value (a fixed camera) to the second (a moving one). 0 and 0: no change.
  double least_change = 0.05, most_change = 0.6;
  double memory = 0.85;       // share of the change kept in the next frame
  double logit_change = 4.4;  // the change of a logit for a change of 1, without embeddings
  double frame_rate = 10;     // scored frames per second
  std::uint64_t seed = 0;

  bool operator==(const DwellSettings&) const = default;
};

struct Shot {
  std::uint32_t picture = 0;
  std::uint32_t frames = 1;
  double change = 0;
  bool operator==(const Shot&) const = default;
};

// Pictures come in a shuffled order, each once before any is repeated, except for returns to an earlier picture.
// REQUIRES: pictures > 0, longest > 0, least_change <= most_change.
std::vector<Shot> draw_shots(std::size_t pictures, const DwellSettings& settings);

// The expected number of frames.
double expected_frames(const DwellSettings& settings);

// The frames of shots, one after the other.
class DwellStream {
 public:
  struct Frame {
    Sample sample;
    std::size_t shot = 0;    // index of the shot
    std::size_t number = 0;  // in the shot
    double time = 0;         // in seconds
  };

  // Changes embeddings if the stream has them. Logits follow from them if it has text, and are changed directly
  // otherwise. REQUIRES: the stream outlives this object, and the shots' pictures are in it.
  DwellStream(Stream& stream, std::span<const Shot> shots, const DwellSettings& settings);

  // The next frame, valid until the next call; null after the last. Errors are those of Stream::sample().
  Result<const Frame*> next();

 private:
  Status begin_shot();
  void change_frame();
  void change_embedding();
  void change_logits();

  Stream& stream_;
  std::span<const Shot> shots_;
  const DwellSettings settings_;
  Random random_{0};
  std::size_t shot_ = 0, number_ = 0;  // of the next frame
  std::size_t frames_ = 0;             // so far
  std::vector<double> picture_logits_, change_, logits_;
  std::vector<float> picture_, embedding_;
  Eigen::VectorXf moved_;  // change of the cosines
  Frame frame_;
};

}  // namespace bcp::eval

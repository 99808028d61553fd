// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Methods of others that correct a stream's scores without training, for comparison: TDA, DOTA and others, with one
// interface. README.md has the source of each formula and constant, and open questions.
//
// Whether a sample is learnt before it is corrected, and so affects its own correction, follows the authors of each
// method: in TDA it is, in DOTA and BCP not. Peers need embeddings, and their state is not stored in prior files.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "adapt/scores.hpp"
#include "base/result.hpp"
#include "eval/method_kind.hpp"

namespace bcp::eval {

// A model's output for one frame.
struct Sample {
  std::span<const double> logits;
  std::span<const float> embedding;  // of unit length
};

// The labels.
struct Labels {
  std::size_t count = 0;
  std::size_t width = 0;        // of an embedding
  std::span<const float> text;  // count rows of unit length; empty if the method does not need them
  double scale = 100;           // logits = scale * <embedding, row>
};

class Peer {
 public:
  // REQUIRES: info_of(kind).wants_embeddings. `labels.text` is copied if needed.
  static Result<std::unique_ptr<Peer>> make(MethodKind kind, const Labels& labels);
  virtual ~Peer() = default;

  // Corrects the sample, and learns it if `learn`. Fills `scores` like Bcp::correct(), without an anchor. Numbers that
  // are not finite are an error: nothing is learnt, and `scores` is undefined. REQUIRES: sizes agree with the labels.
  virtual Status adapt(const Sample& sample, bool learn, adapt::Scores& scores) = 0;
};

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Another method of correcting a stream's scores without training, for comparison: what TDA, DOTA and others do, behind
// one face. Where each formula and constant comes from, and what is in doubt, is told in peers.md beside this file.
//
// Whether a sample is counted before it is corrected, and so sees itself, is as each method's authors have it: TDA
// does, DOTA and BCP do not. Peers work on embeddings, and what they learn is not kept in prior files.
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

// What a model said about one frame.
struct Sample {
  std::span<const double> logits;
  std::span<const float> embedding;  // of unit length
};

// What it is compared with.
struct Labels {
  std::size_t count = 0;
  std::size_t width = 0;        // of an embedding
  std::span<const float> text;  // count rows of unit length; empty where the method does not want them
  double scale = 100;           // logits = scale * <embedding, row>
};

class Peer {
 public:
  // REQUIRES: info_of(kind).wants_embeddings. `labels.text` is copied where it is needed.
  static Result<std::unique_ptr<Peer>> make(MethodKind kind, const Labels& labels);
  virtual ~Peer() = default;

  // Corrects the sample, and learns it if `learn` says so. Fills `scores` as Bcp::correct() does; there is no anchor.
  // Numbers that are not finite are an error of this sample: nothing is learnt, and `scores` says nothing.
  // REQUIRES: sizes agree with the labels.
  virtual Status adapt(const Sample& sample, bool learn, adapt::Scores& scores) = 0;
};

}  // namespace bcp::eval

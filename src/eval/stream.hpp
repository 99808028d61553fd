// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The data of an evaluation: a model's scores of T pictures, row by row, and the ground truth.
//
// It comes from arrays (logits, or embeddings and the labels' text embeddings) or from the pictures of a data set,
// whose embeddings are arrays too (embedding_store.hpp). Rows are numbered as in the files, in any order of the stream.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/npy.hpp"
#include "base/result.hpp"
#include "clip/text_bank.hpp"
#include "eval/peers/peer.hpp"

namespace bcp::eval {

// Ground truth: 1 present, 0 absent, -1 ignored. T rows of K.
struct Truth {
  std::size_t samples = 0, labels = 0;
  std::vector<std::int8_t> values;

  std::int8_t at(std::size_t sample, std::size_t label) const { return values[sample * labels + label]; }
};

// The files of a stream. At least one of `logits` and `embeddings`; `text` goes with `embeddings`.
struct StreamFiles {
  std::string logits = {}, embeddings = {}, text = {};  // empty: not given
  double scale = 100;                                   // for embeddings: logits = scale * <v, t>
};

// Embeddings of words from a file, [words, numbers], of unit length.
Result<clip::TextMatrix> load_text(const std::string& path);

class Stream {
 public:
  // Opens the files and checks that their shapes match. If logits are given, they are scored, and embeddings are for
  // the novelty gate and the peers.
  static Result<Stream> open(const StreamFiles& files);
  // The embeddings of a file, with labels already in memory.
  static Result<Stream> open(const std::string& embeddings, clip::TextMatrix text, double scale);

  std::size_t samples() const;
  std::size_t labels() const;
  bool has_embeddings() const;
  bool has_text() const;
  Labels text() const;  // for Peer::make()

  // Sample t; valid until the next call. Embeddings have unit length, and are empty without a file. A number that is
  // not finite is an error that names the file, the row and the column.
  Result<Sample> sample(std::size_t t);

 private:
  Stream() = default;
  std::optional<NpyReader> logits_, embeddings_;
  clip::TextMatrix text_;
  double scale_ = 100;
  std::vector<double> row_, scores_;
  std::vector<float> unit_;
};

}  // namespace bcp::eval

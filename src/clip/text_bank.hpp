// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Labels with known text embeddings, and selecting some of them.
//
// Immutable after opening: any number of threads may read one bank.

#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"

namespace bcp::clip {

// One row per label, each of unit length.
using TextMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The labels that frames are scored against: names and embeddings, row by row.
struct LabelSet {
  std::vector<Label> labels;
  TextMatrix embeddings;
};

class TextBank {
 public:
  // `path` is a safetensors file: tensor `embeddings` [C, D] (F32 or F16; rows are normalised here) and the metadata
  // key `labels`, a JSON array of C strings. This is the layout proposed by DL Streamer.
  static Result<TextBank> open(const std::string& path);

  const LabelSet& all() const { return all_; }
  int embedding_size() const { return static_cast<int>(all_.embeddings.cols()); }

  std::optional<Eigen::Index> row_of(const std::string& label) const;

  // The rows of `wanted`, in that order. A label that is not in the bank is an error that names similar ones.
  Result<LabelSet> select(std::span<const Label> wanted) const;

 private:
  LabelSet all_;
  std::unordered_map<std::string, Eigen::Index> row_of_;
};

// logits[k] = scale * <image, row k> + bias. REQUIRES: sizes agree; `image` and the rows have unit length.
void score(const TextMatrix& text, std::span<const float> image, double scale, std::span<double> logits,
           double bias = 0);

}  // namespace bcp::clip

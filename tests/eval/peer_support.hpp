// SPDX-License-Identifier: LGPL-2.1-or-later
// Helpers for tests of the peers: create one, adapt one frame, and a stream of real frames.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/npy.hpp"
#include "eval/peers/peer.hpp"

namespace bcp::test {

// A stream's peer. `text`: the labels' embeddings, `labels` rows.
inline std::unique_ptr<eval::Peer> make_peer(eval::MethodKind correction, std::size_t labels, std::size_t width,
                                             const std::vector<float>& text = {}, double scale = 100) {
  const auto rows = std::span(text).first(std::min(text.size(), labels * width));
  auto peer = eval::Peer::make(correction, {.count = labels, .width = width, .text = rows, .scale = scale});
  EXPECT_TRUE(peer) << peer.error().message;
  return peer ? std::move(*peer) : nullptr;
}

inline adapt::Scores adapted(eval::Peer& peer, const std::vector<double>& logits, const std::vector<float>& embedding,
                             bool learn = true) {
  adapt::Scores scores;
  const Status status = peer.adapt({.logits = logits, .embedding = embedding}, learn, scores);
  EXPECT_TRUE(status) << status.error().message;
  return scores;
}

// tests/data/voc2007-stream: 4,952 pictures, 20 labels, 512 numbers.
struct VocStream {
  std::size_t width = 512;
  std::vector<std::vector<double>> logits;
  std::vector<std::vector<float>> embeddings;  // of unit length
  std::vector<float> text;

  static const VocStream& get() {
    static const VocStream stream = load();
    return stream;
  }

  // Only the first numbers of each embedding: for methods whose cost grows with the cube of their number.
  VocStream narrowed(std::size_t numbers) const {
    VocStream narrow{.width = numbers, .logits = logits, .embeddings = {}, .text = {}};
    for (const auto& row : embeddings) narrow.embeddings.push_back(unit(std::span(row).first(numbers)));
    for (std::size_t k = 0; k < text.size() / width; ++k) {
      const auto row = unit(std::span(text).subspan(k * width, numbers));
      narrow.text.insert(narrow.text.end(), row.begin(), row.end());
    }
    return narrow;
  }

 private:
  template <typename T>
  static std::vector<float> unit(std::span<const T> row) {
    double squares = 0;
    for (const T x : row) squares += static_cast<double>(x) * static_cast<double>(x);
    std::vector<float> result;
    for (const T x : row) result.push_back(static_cast<float>(static_cast<double>(x) / std::sqrt(squares)));
    return result;
  }

  static VocStream load() {
    const std::string folder = BCP_TEST_DATA "/voc2007-stream/";
    const Npy logits = load_npy(folder + "logits.npy"), embeddings = load_npy(folder + "embeddings.npy");
    VocStream stream;
    for (std::size_t t = 0; t < logits.shape[0]; ++t) {
      stream.logits.push_back(logits.row(t));
      stream.embeddings.push_back(unit<double>(embeddings.row(t)));
    }
    stream.text = load_npy(folder + "text.npy").floats();
    return stream;
  }
};

}  // namespace bcp::test

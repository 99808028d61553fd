// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of the peers need: one made without ceremony, one frame adapted, and a stream of real ones.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "adapt/peer.hpp"
#include "npy.hpp"

namespace bcp::test {

// A stream's peer. `text`: the labels' embeddings, `labels` rows.
inline std::unique_ptr<adapt::Peer> make_peer(adapt::Correction correction, std::size_t labels, std::size_t width,
                                              const std::vector<float>& text = {}) {
  auto peer = adapt::Peer::make(correction, {.count = labels, .width = width, .text = text, .scale = 100});
  EXPECT_TRUE(peer) << peer.error().message;
  return peer ? std::move(*peer) : nullptr;
}

inline adapt::Scores adapted(adapt::Peer& peer, const std::vector<double>& logits, const std::vector<float>& embedding,
                             bool learn = true) {
  adapt::Scores scores;
  const Status status = peer.adapt({.logits = logits, .embedding = embedding}, learn, scores);
  EXPECT_TRUE(status) << status.error().message;
  return scores;
}

// tests/data/voc2007-stream: 4,952 pictures, 20 labels, 512 numbers.
struct VocStream {
  std::vector<std::vector<double>> logits;
  std::vector<std::vector<float>> embeddings;  // of unit length
  std::vector<float> text;

  static const VocStream& get() {
    static const VocStream stream = load();
    return stream;
  }

 private:
  static VocStream load() {
    const std::string folder = BCP_TEST_DATA "/voc2007-stream/";
    const Npy logits = load_npy(folder + "logits.npy"), embeddings = load_npy(folder + "embeddings.npy");
    VocStream stream;
    for (std::size_t t = 0; t < logits.shape[0]; ++t) {
      stream.logits.push_back(logits.row(t));
      const std::vector<double> row = embeddings.row(t);
      double squares = 0;
      for (const double x : row) squares += x * x;
      auto& unit = stream.embeddings.emplace_back();
      for (const double x : row) unit.push_back(static_cast<float>(x / std::sqrt(squares)));
    }
    stream.text = load_npy(folder + "text.npy").floats();
    return stream;
  }
};

}  // namespace bcp::test

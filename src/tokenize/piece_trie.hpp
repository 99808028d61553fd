// SPDX-License-Identifier: LGPL-2.1-or-later
// The pieces of a vocabulary as a trie over bytes: finds every piece that a text begins with, shortest first, in one
// walk.
//
// Immutable: any number of threads may use one.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/tokenizer.hpp"

namespace bcp::tokenize {

class PieceTrie {
 public:
  // The id of a piece is its position. Of a repeated piece, the later id counts.
  explicit PieceTrie(const std::vector<std::string>& pieces);

  // Calls found(length, id) for every non-empty piece that `text` begins with.
  template <typename Found>
  void each_prefix(std::string_view text, Found found) const {
    std::uint32_t node = 0;
    for (std::size_t length = 1; length <= text.size(); ++length) {
      node = child(node, static_cast<unsigned char>(text[length - 1]));
      if (node == 0) return;
      if (nodes_[node].id >= 0) found(length, nodes_[node].id);
    }
  }

  // The id of the piece that equals `text`, or -1.
  TokenId find(std::string_view text) const;

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::uint16_t children = 0;
    unsigned char label = 0;  // the byte that leads here
    TokenId id = -1;          // of the piece that ends here
  };
  // 0 if the node has no such child: the root is never a child.
  std::uint32_t child(std::uint32_t node, unsigned char label) const;

  std::vector<Node> nodes_;  // the children of a node are adjacent, sorted by label
};

}  // namespace bcp::tokenize

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/piece_trie.hpp"

#include <algorithm>
#include <numeric>

namespace bcp::tokenize {

PieceTrie::PieceTrie(const std::vector<std::string>& pieces) : nodes_(1) {
  std::vector<std::uint32_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0u);
  // std::string compares bytes as unsigned. Equal pieces stay in the order of their ids, so that the last one counts.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return pieces[a] < pieces[b]; });

  // A node to fill: the pieces that begin with the bytes on its path.
  struct Open {
    std::uint32_t node;
    std::size_t begin, end, depth;
  };
  std::vector<Open> open = {{0, 0, order.size(), 0}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    std::size_t begin = at.begin;
    for (; begin < at.end && pieces[order[begin]].size() == at.depth; ++begin)
      nodes_[at.node].id = static_cast<TokenId>(order[begin]);
    nodes_[at.node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (begin < at.end) {
      const char label = pieces[order[begin]][at.depth];
      std::size_t end = begin;
      while (end < at.end && pieces[order[end]][at.depth] == label) ++end;
      open.push_back({static_cast<std::uint32_t>(nodes_.size()), begin, end, at.depth + 1});
      nodes_.emplace_back().label = static_cast<unsigned char>(label);
      ++nodes_[at.node].children;
      begin = end;
    }
  }
}

std::uint32_t PieceTrie::child(std::uint32_t node, unsigned char label) const {
  const auto begin = nodes_.begin() + nodes_[node].first_child, end = begin + nodes_[node].children;
  const auto found = std::lower_bound(begin, end, label, [](const Node& n, unsigned char l) { return n.label < l; });
  return found == end || found->label != label ? 0 : static_cast<std::uint32_t>(found - nodes_.begin());
}

TokenId PieceTrie::find(std::string_view text) const {
  std::uint32_t node = 0;
  for (const char byte : text) {
    node = child(node, static_cast<unsigned char>(byte));
    if (node == 0) return -1;
  }
  return nodes_[node].id;
}

}  // namespace bcp::tokenize

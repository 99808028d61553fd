// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/merge_table.hpp"

#include <limits>
#include <queue>

namespace bcp::tokenize {
namespace {

constexpr std::size_t kNoMerge = std::numeric_limits<std::size_t>::max();

std::uint64_t pair_of(TokenId first, TokenId second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(second);
}

}  // namespace

Error missing_token(const std::string& token, const std::string& for_what) {
  return Error{ErrorCode::kInvalid, "the vocabulary has no token \"" + token + "\", which " + for_what +
                                        " needs: use the vocabulary and merges of the same model"};
}

Result<MergeTable> MergeTable::make(const TokenIds& ids, const Merges& merges, Order order) {
  MergeTable table;
  table.order_ = order;
  table.merges_.reserve(merges.size());
  std::string text;
  const auto id_of = [&](std::string_view part) {
    text = part;
    const auto found = ids.find(text);
    return found == ids.end() ? TokenId{-1} : found->second;
  };
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto fault = [&] { return missing_token(text, "merge " + std::to_string(rank + 1)); };
    const TokenId first = id_of(merges[rank].first);
    if (first < 0) return fault();
    const TokenId second = id_of(merges[rank].second);
    if (second < 0) return fault();
    const TokenId joined = id_of(std::string(merges[rank].first).append(merges[rank].second));
    if (joined < 0) return fault();
    // A repeated merge has the later rank, as in every reference.
    table.merges_[pair_of(first, second)] = {static_cast<std::uint32_t>(rank), joined};
  }
  return table;
}

// One word while its tokens are joined: a list of tokens, and the possible pairs, lowest rank first.
class MergeTable::Word {
 public:
  Word(const MergeTable& table, const std::vector<TokenId>& ids) : table_(table), tokens_(ids.size()) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      tokens_[i] = {ids[i], i == 0 ? kNoMerge : i - 1, i + 1 == ids.size() ? kNoMerge : i + 1};
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) propose(i);
  }

  void join() {
    std::vector<Candidate> round;
    while (!candidates_.empty()) {
      round.clear();
      const std::uint32_t rank = candidates_.top().rank;
      do {
        round.push_back(candidates_.top());
        candidates_.pop();
      } while (table_.order_ == Order::kAllOccurrences && !candidates_.empty() && candidates_.top().rank == rank);
      for (const Candidate& candidate : round) join(candidate);
    }
  }

  void append_to(std::vector<TokenId>& ids) const {
    for (std::size_t at = tokens_.empty() ? kNoMerge : 0; at != kNoMerge; at = tokens_[at].next)
      ids.push_back(tokens_[at].id);
  }

 private:
  struct Token {
    TokenId id = 0;
    std::size_t previous = kNoMerge, next = kNoMerge;
  };
  struct Candidate {
    std::uint32_t rank = 0;
    TokenId joined = 0;
    std::size_t at = 0;
    std::uint64_t pair = 0;
    // Reversed for std::priority_queue, which has the largest on top.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  static constexpr TokenId kGone = -1;

  void propose(std::size_t at) {
    const std::uint64_t pair = pair_of(tokens_[at].id, tokens_[tokens_[at].next].id);
    if (const auto merge = table_.merges_.find(pair); merge != table_.merges_.end())
      candidates_.push({merge->second.rank, merge->second.id, at, pair});
  }

  void join(const Candidate& candidate) {
    Token& first = tokens_[candidate.at];
    // Skip the pair if one of its tokens was already joined with its other neighbour.
    if (first.id == kGone || first.next == kNoMerge || pair_of(first.id, tokens_[first.next].id) != candidate.pair)
      return;
    Token& second = tokens_[first.next];
    first.id = candidate.joined;
    first.next = second.next;
    second.id = kGone;
    if (first.next != kNoMerge) {
      tokens_[first.next].previous = candidate.at;
      propose(candidate.at);
    }
    if (first.previous != kNoMerge) propose(first.previous);
  }

  const MergeTable& table_;
  std::vector<Token> tokens_;
  std::priority_queue<Candidate> candidates_;
};

void MergeTable::join(const std::vector<TokenId>& word, std::vector<TokenId>& ids) const {
  Word tokens(*this, word);
  tokens.join();
  tokens.append_to(ids);
}

}  // namespace bcp::tokenize

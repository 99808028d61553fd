// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/unigram.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

constexpr double kUnknownPenalty = 10;  // how much lower than the lowest score an unknown character has
constexpr std::size_t kNoPiece = std::numeric_limits<std::size_t>::max();

// The last piece of the best way to cut the text before one position.
struct Best {
  double score = 0;
  std::size_t start = kNoPiece;
  TokenId id = 0;
};

}  // namespace

Unigram::Unigram(Pieces pieces, double unknown_score)
    : trie_(pieces.texts),
      scores_(std::move(pieces.scores)),
      unknown_(pieces.unknown),
      unknown_score_(unknown_score),
      byte_fallback_(pieces.byte_fallback),
      bytes_(byte_tokens([this](std::string_view name) { return trie_.find(name); })) {}

Result<Unigram> Unigram::make(Pieces pieces) {
  const auto wrong = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
  if (pieces.texts.empty() || pieces.texts.size() != pieces.scores.size())
    return wrong("its vocabulary is empty: fetch the file again");
  if (pieces.unknown < 0 || static_cast<std::size_t>(pieces.unknown) >= pieces.texts.size())
    return wrong("its unk_id is " + std::to_string(pieces.unknown) + ", but its vocabulary has the ids 0 to " +
                 std::to_string(pieces.texts.size() - 1) + ": fetch the file again");
  const double worst = *std::min_element(pieces.scores.begin(), pieces.scores.end());
  return Unigram(std::move(pieces), worst - kUnknownPenalty);
}

void Unigram::encode(std::string_view word, std::vector<TokenId>& ids) const {
  // From left to right, the best way to reach every position; of equally good ones, the first stays.
  std::vector<Best> best(word.size() + 1);
  for (std::size_t start = 0; start < word.size();) {
    const double score = best[start].score;
    const auto offer = [&](std::size_t end, TokenId id, double with) {
      if (best[end].start == kNoPiece || with > best[end].score) best[end] = {with, start, id};
    };
    std::size_t next = start;
    unicode::next(word, next);
    bool is_known = false;
    trie_.each_prefix(word.substr(start), [&](std::size_t length, TokenId id) {
      offer(start + length, id, scores_[static_cast<std::size_t>(id)] + score);
      is_known = is_known || start + length == next;
    });
    if (!is_known) offer(next, unknown_, unknown_score_ + score);
    start = next;
  }

  struct Part {
    std::size_t start, end;
    TokenId id;
  };
  std::vector<Part> parts;  // from the last to the first
  for (std::size_t end = word.size(); end > 0;) {
    const Best& last = best[end];
    if (last.id == unknown_ && !parts.empty() && parts.back().id == unknown_)
      parts.back().start = last.start;
    else
      parts.push_back({last.start, end, last.id});
    end = last.start;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->id != unknown_) {
      ids.push_back(part->id);
      continue;
    }
    // Fused unknown characters may be equal to a piece, and the reference then uses that piece.
    const std::string_view text = word.substr(part->start, part->end - part->start);
    const TokenId whole = trie_.find(text);
    if (whole >= 0)
      ids.push_back(whole);
    else if (!byte_fallback_ || !append_bytes(text, bytes_, ids))
      ids.push_back(unknown_);
  }
}

}  // namespace bcp::tokenize

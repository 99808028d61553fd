// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/tokenizer.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "tokenize/clean_text.hpp"
#include "tokenize/unicode.hpp"
#include "tokenize/vocabulary.hpp"
#include "tokenize/word_splitter.hpp"

namespace bcp::tokenize {
namespace {

// Ids as they are found, until there are enough.
struct Collector {
  std::vector<TokenId> ids;
  std::size_t wanted;
  bool full() const { return ids.size() >= wanted; }
};

// Hands `text` on in pieces: tokens to `ids`, what is between them to `between`.
template <typename Between>
void take_tokens(std::string_view text, const AddedTokens& tokens, Collector& collector, Between between) {
  while (!text.empty() && !collector.full()) {
    const std::optional<AddedTokens::Found> found = tokens.find(text);
    if (!found || found->at > 0) between(text.substr(0, found ? found->at : text.size()));
    if (!found) return;
    collector.ids.push_back(found->id);
    text.remove_prefix(found->at + found->length);
  }
}

}  // namespace

struct Tokenizer::Impl {
  Vocabulary vocabulary;
  WordSplitter splitter;

  // `text` is clean.
  void encode(std::string_view text, Collector& collector) const {
    WordSplitter::Words words(splitter, text);
    while (!collector.full()) {
      const std::optional<std::string_view> word = words.next();
      if (!word) return;
      const auto& specials = vocabulary.specials;
      const auto special =
          std::find_if(specials.begin(), specials.end(), [&](auto& token) { return token.text == *word; });
      if (special != specials.end())
        collector.ids.push_back(special->id);
      else
        vocabulary.bpe.encode(*word, collector.ids);
    }
  }
};

namespace {

// What tokenizer.json finds before it cleans, what it finds after, and the words between.
template <typename Encode>
void encode_fast(const Vocabulary::Fast& fast, std::string_view bytes, Collector& collector, Encode encode) {
  take_tokens(unicode::well_formed(bytes), fast.in_raw_text, collector, [&](std::string_view raw) {
    take_tokens(fast.normalizer.apply(raw), fast.in_normalized_text, collector, encode);
  });
}

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::make(Result<Vocabulary> vocabulary) {
  if (!vocabulary) return vocabulary.error();
  std::vector<std::string> whole_words;
  if (vocabulary->fast) whole_words = vocabulary->fast->whole_words;
  for (const AddedToken& token : vocabulary->specials) whole_words.push_back(token.text);
  const auto letter_case = vocabulary->fast ? WordSplitter::Case::kHeeded : WordSplitter::Case::kIgnored;
  Result<WordSplitter> splitter = WordSplitter::make(whole_words, letter_case);
  if (!splitter) return splitter.error();
  return Tokenizer(std::make_unique<const Impl>(Impl{*std::move(vocabulary), *std::move(splitter)}));
}

Result<Tokenizer> Tokenizer::clip() try { return make(clip_vocabulary()); } catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, "CLIP's built-in vocabulary does not fit into memory: free some"};
}

Result<Tokenizer> Tokenizer::open(const std::string& path) try {
  return make(open_vocabulary(path));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, path + " does not fit into memory"};
} catch (const std::exception& error) {
  return Error{ErrorCode::kInvalid, path + " cannot be read as a vocabulary (" + error.what() + "): fetch it again"};
}

std::vector<TokenId> Tokenizer::ids(std::string_view text, std::size_t length) const {
  const Vocabulary& vocabulary = impl_->vocabulary;
  Collector collector{{vocabulary.start}, length - 1};
  const auto encode = [&](std::string_view clean) { impl_->encode(clean, collector); };
  if (vocabulary.fast)
    encode_fast(*vocabulary.fast, text, collector, encode);
  else
    encode(clean_text(text));
  collector.ids.resize(std::min(collector.ids.size(), length - 1));
  collector.ids.push_back(vocabulary.end);
  return std::move(collector.ids);
}

TokenId Tokenizer::size() const {
  return impl_->vocabulary.size;
}
TokenId Tokenizer::start() const {
  return impl_->vocabulary.start;
}
TokenId Tokenizer::end() const {
  return impl_->vocabulary.end;
}
std::optional<TokenId> Tokenizer::padding() const {
  return impl_->vocabulary.padding;
}

}  // namespace bcp::tokenize

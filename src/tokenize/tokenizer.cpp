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

// Collects ids until there are enough.
struct Collector {
  std::vector<TokenId> ids;
  std::size_t wanted;
  bool full() const { return ids.size() >= wanted; }
};

}  // namespace

struct Tokenizer::Impl {
  Vocabulary vocabulary;
  std::optional<WordSplitter> splitter;  // for CLIP's words

  void encode_word(std::string_view word, std::vector<TokenId>& ids) const {
    std::visit([&](const auto& model) { model.encode(word, ids); }, vocabulary.model);
  }

  // `text` is clean. `is_first`: it is the beginning of the original text.
  void encode(std::string_view text, bool is_first, Collector& collector) const {
    if (vocabulary.fast && vocabulary.fast->pre_tokenizer) {
      for (const std::string& word : vocabulary.fast->pre_tokenizer->words(text, is_first)) {
        if (collector.full()) return;
        encode_word(word, collector.ids);
      }
      return;
    }
    WordSplitter::Words words(*splitter, text);
    while (!collector.full()) {
      const std::optional<std::string_view> word = words.next();
      if (!word) return;
      const auto& specials = vocabulary.specials;
      const auto special =
          std::find_if(specials.begin(), specials.end(), [&](auto& token) { return token.text == *word; });
      if (special != specials.end())
        collector.ids.push_back(special->id);
      else
        encode_word(*word, collector.ids);
    }
  }

  // For a tokenizer.json: tokens found before cleaning, tokens found after, and the words between.
  void encode_fast(std::string_view bytes, Collector& collector) const {
    const Vocabulary::Fast& fast = *vocabulary.fast;
    const auto done = [&] { return collector.full(); };
    const auto token = [&](TokenId id) { collector.ids.push_back(id); };
    const std::string text = unicode::well_formed(bytes);
    fast.in_raw_text.split(text, done, token, [&](std::string_view raw, std::size_t where) {
      const std::string clean = fast.normalizer.apply(raw);
      fast.in_normalized_text.split(clean, done, token, [&](std::string_view part, std::size_t where_in_part) {
        encode(part, where == 0 && where_in_part == 0, collector);
      });
    });
  }
};

Tokenizer::Tokenizer(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::make(Result<Vocabulary> vocabulary) {
  if (!vocabulary) return vocabulary.error();
  if (vocabulary->fast && vocabulary->fast->pre_tokenizer)
    return Tokenizer(std::make_unique<const Impl>(Impl{*std::move(vocabulary), std::nullopt}));
  std::vector<std::string> whole_words;
  if (vocabulary->fast) whole_words = vocabulary->fast->whole_words;
  for (const AddedToken& token : vocabulary->specials) whole_words.push_back(token.text);
  const auto letter_case = vocabulary->fast ? WordSplitter::Case::kRespected : WordSplitter::Case::kIgnored;
  Result<WordSplitter> splitter = WordSplitter::make(whole_words, letter_case);
  if (!splitter) return splitter.error();
  return Tokenizer(std::make_unique<const Impl>(Impl{*std::move(vocabulary), *std::move(splitter)}));
}

Result<Tokenizer> Tokenizer::clip() try { return make(clip_vocabulary()); } catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, "CLIP's built-in vocabulary does not fit into memory: free memory"};
}

Result<Tokenizer> Tokenizer::open(const std::string& path, Case letter_case) try {
  Result<Vocabulary> vocabulary = open_vocabulary(path);
  // Without a normaliser, CLIP's cleaning already converts to lower case.
  if (vocabulary && vocabulary->fast) vocabulary->fast->normalizer.lowercase_first = letter_case == Case::kLower;
  return make(std::move(vocabulary));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kRuntime, path + " does not fit into memory: free memory"};
} catch (const std::exception& error) {
  return Error{ErrorCode::kInvalid, path + " cannot be read as a vocabulary (" + error.what() + "): fetch it again"};
}

std::vector<TokenId> Tokenizer::ids(std::string_view text, std::size_t length) const {
  const Vocabulary& vocabulary = impl_->vocabulary;
  const std::size_t room = length - (vocabulary.end ? 1 : 0);
  Collector collector{{}, room};
  if (vocabulary.start) collector.ids.push_back(*vocabulary.start);
  if (vocabulary.fast)
    impl_->encode_fast(text, collector);
  else
    impl_->encode(clean_text(text), true, collector);
  collector.ids.resize(std::min(collector.ids.size(), room));
  if (vocabulary.end) collector.ids.push_back(*vocabulary.end);
  return std::move(collector.ids);
}

TokenId Tokenizer::size() const {
  return impl_->vocabulary.size;
}
std::optional<TokenId> Tokenizer::start() const {
  return impl_->vocabulary.start;
}
std::optional<TokenId> Tokenizer::end() const {
  return impl_->vocabulary.end;
}
std::optional<TokenId> Tokenizer::padding() const {
  return impl_->vocabulary.padding;
}

}  // namespace bcp::tokenize

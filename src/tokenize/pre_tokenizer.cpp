// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/pre_tokenizer.hpp"

#include <utility>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

using Words = std::vector<std::string>;
using Behaviour = PreTokenizer::Split::Behaviour;

void add(Words& words, std::string_view word) {
  if (!word.empty()) words.emplace_back(word);
}

// Cuts `text` at each `separator`. Of several in a row, only the first is merged with the text before, and only the
// last with the text after.
void split(std::string_view text, std::string_view separator, Behaviour behaviour, Words& words) {
  std::size_t word = 0;  // start of the next word
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, at)) {
    const std::size_t end = at + separator.size();
    switch (behaviour) {
      case Behaviour::kRemoved:
        add(words, text.substr(word, at - word));
        word = end;
        break;
      case Behaviour::kIsolated:
        add(words, text.substr(word, at - word));
        add(words, text.substr(at, separator.size()));
        word = end;
        break;
      case Behaviour::kMergedWithPrevious:
        add(words, text.substr(word, end - word));
        word = end;
        break;
      case Behaviour::kMergedWithNext:
        add(words, text.substr(word, at - word));
        word = at;
        break;
    }
    at = end;
  }
  add(words, text.substr(word));
}

void apply_step(const PreTokenizer::Metaspace& step, std::string_view text, bool is_first, Words& words) {
  using Prepend = PreTokenizer::Metaspace::Prepend;
  std::string written;
  for (const char c : text) {
    if (c == ' ')
      written += step.replacement;
    else
      written += c;
  }
  const bool wanted = step.prepend == Prepend::kAlways || (step.prepend == Prepend::kFirst && is_first);
  if (wanted && !written.empty() && !written.starts_with(step.replacement)) written = step.replacement + written;
  if (step.split)
    split(written, step.replacement, Behaviour::kMergedWithNext, words);
  else
    add(words, written);
}

void apply_step(const PreTokenizer::WhitespaceSplit&, std::string_view text, bool, Words& words) {
  std::size_t word = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (!unicode::is_white_space(unicode::next(text, at))) continue;
    add(words, text.substr(word, start - word));
    word = at;
  }
  add(words, text.substr(word));
}

void apply_step(const PreTokenizer::Split& step, std::string_view text, bool, Words& words) {
  split(text, step.at, step.behaviour, words);
}

}  // namespace

std::vector<std::string> PreTokenizer::words(std::string_view text, bool is_first) const {
  Words words;
  add(words, text);
  for (const Step& step : steps) {
    Words cut;
    for (std::size_t i = 0; i < words.size(); ++i)
      std::visit([&](const auto& each) { apply_step(each, words[i], is_first && i == 0, cut); }, step);
    words = std::move(cut);
  }
  return words;
}

}  // namespace bcp::tokenize

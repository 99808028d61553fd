// SPDX-License-Identifier: LGPL-2.1-or-later
// How a tokenizer.json cuts clean text into words, other than by CLIP's regular expression: the steps that SigLIP's and
// Gemma's files name, as Hugging Face's `tokenizers` takes them. Without steps, a text is one word.
//
// Immutable once filled: any number of threads may apply one.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bcp::tokenize {

struct PreTokenizer {
  // Spaces are written as `replacement`, which also begins the text (or each word of an earlier step), and each begins
  // a word.
  struct Metaspace {
    enum class Prepend { kAlways, kFirst, kNever };
    std::string replacement;  // one character
    Prepend prepend = Prepend::kAlways;
    bool split = true;
  };
  struct WhitespaceSplit {};  // at white space, which is dropped
  struct Split {
    enum class Behaviour { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext };
    std::string at;
    Behaviour behaviour = Behaviour::kRemoved;
  };
  using Step = std::variant<Metaspace, WhitespaceSplit, Split>;
  std::vector<Step> steps;

  // The words of `text`, none of them empty. `is_first`: nothing of the original text stands before it.
  // REQUIRES: well-formed UTF-8.
  std::vector<std::string> words(std::string_view text, bool is_first) const;
};

}  // namespace bcp::tokenize

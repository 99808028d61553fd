// SPDX-License-Identifier: LGPL-2.1-or-later
// How a tokenizer.json cuts clean text into words without CLIP's regular expression: the steps in the files of SigLIP
// and Gemma, as in Hugging Face's `tokenizers`. Without steps, a text is one word.
//
// Immutable after filling: any number of threads may apply one.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bcp::tokenize {

struct PreTokenizer {
  // Replaces spaces by `replacement`, also puts it before the text (or each word of an earlier step), and begins a word
  // at each.
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

  // The words of `text`, none of them empty. `is_first`: it is the beginning of the original text. REQUIRES:
  // well-formed UTF-8.
  std::vector<std::string> words(std::string_view text, bool is_first) const;
};

}  // namespace bcp::tokenize

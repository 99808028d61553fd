// SPDX-License-Identifier: LGPL-2.1-or-later
// How a tokenizer.json cleans text before it is split: the steps that the files of CLIP, SigLIP and Gemma name, as
// Hugging Face's `tokenizers` takes them.
//
// Immutable once filled: any number of threads may apply one.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenize/pattern.hpp"
#include "tokenize/precompiled.hpp"

namespace bcp::tokenize {

struct Normalizer {
  enum class Plain {
    kCompose,              // NFC
    kDecompose,            // NFD
    kComposeCompatible,    // NFKC
    kDecomposeCompatible,  // NFKD
    kCollapseSpace,        // Replace \s+ by one space
    kLowercase,            // letter by letter: no final sigma
    kStripAccents,         // marks are left out
  };
  struct Strip {
    bool left = true, right = true;
  };
  struct Prepend {
    std::string text;  // before every text that is not empty
  };
  struct Replace {
    Pattern pattern;
    std::string content;
  };
  using Step = std::variant<Plain, Strip, Prepend, Replace, Precompiled>;
  bool lowercase_first = false;  // before all steps, as Siglip2Tokenizer of `transformers` has it
  std::vector<Step> steps;

  // REQUIRES: well-formed UTF-8.
  std::string apply(std::string_view text) const;
  // Whether the text may begin later than it did, with something left out.
  bool may_remove_beginning() const;
};

}  // namespace bcp::tokenize

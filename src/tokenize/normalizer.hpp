// SPDX-License-Identifier: LGPL-2.1-or-later
// How a tokenizer.json cleans text before it is split: the steps in the files of CLIP, SigLIP and Gemma, as in Hugging
// Face's `tokenizers`.
//
// Immutable after filling: any number of threads may apply one.

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
    kStripAccents,         // removes marks
  };
  struct Strip {
    bool left = true, right = true;
  };
  struct Prepend {
    std::string text;  // put before every text that is not empty
  };
  struct Replace {
    Pattern pattern;
    std::string content;
  };
  using Step = std::variant<Plain, Strip, Prepend, Replace, Precompiled>;
  bool lowercase_first = false;  // before all steps, as in Siglip2Tokenizer of `transformers`
  std::vector<Step> steps;

  // REQUIRES: well-formed UTF-8.
  std::string apply(std::string_view text) const;
  // Whether a step may remove the beginning of a text.
  bool may_remove_beginning() const;
};

}  // namespace bcp::tokenize

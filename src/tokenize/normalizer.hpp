// SPDX-License-Identifier: LGPL-2.1-or-later
// How a tokenizer.json cleans text before it is split: the steps CLIP's files name, as Hugging Face's `tokenizers`
// takes them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bcp::tokenize {

struct Normalizer {
  enum class Step {
    kCompose,        // NFC
    kCollapseSpace,  // Replace \s+ by one space
    kLowercase,      // letter by letter: no final sigma
  };
  std::vector<Step> steps;

  // REQUIRES: well-formed UTF-8.
  std::string apply(std::string_view text) const;
};

}  // namespace bcp::tokenize

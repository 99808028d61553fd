// SPDX-License-Identifier: LGPL-2.1-or-later
// A pattern in a tokenizer.json: a string, or a regular expression.
//
// Hugging Face's `tokenizers` uses Oniguruma, this project PCRE2. Both agree on what the files of CLIP, SigLIP and
// Gemma use: characters, escaped punctuation, \s, classes, alternatives, and repetition. Anything else (groups,
// properties, \w, anchors) is rejected, because results could differ.
//
// Immutable: any number of threads may search.

#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::tokenize {

class Pattern {
 public:
  // REQUIRES: !text.empty().
  static Pattern literal(std::string text);
  // kUnsupported if it is not one of the above, or may match the empty string. The message completes "the regular
  // expression ...".
  static Result<Pattern> regex(std::string_view expression);
  // One grapheme by Unicode's segmentation: a letter with its marks.
  static Result<Pattern> grapheme();

  struct Match {
    std::size_t begin = 0, end = 0;
  };
  // From the left, without overlap. REQUIRES: well-formed UTF-8.
  std::vector<Match> matches(std::string_view text) const;

 private:
  static Result<Pattern> compile(const std::string& expression);

  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  std::string literal_;  // empty: use `code_`
  std::unique_ptr<pcre2_code, Free> code_;
};

}  // namespace bcp::tokenize

// SPDX-License-Identifier: LGPL-2.1-or-later
// CLIP's regular expression: splits clean text into words. Text that it does not match (spaces) is dropped.

#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::tokenize {

// Immutable: any number of threads may use one.
class WordSplitter {
 public:
  // Python's `regex` ignores case in the expression, and so finds slightly other words than Hugging Face's tokenizers,
  // which respect it.
  enum class Case { kIgnored, kRespected };
  // `whole_words` are never split.
  static Result<WordSplitter> make(const std::vector<std::string>& whole_words, Case letter_case);

  // The words of one text, which must outlive it. REQUIRES: well-formed UTF-8.
  class Words {
   public:
    Words(const WordSplitter& splitter, std::string_view text);
    std::optional<std::string_view> next();

   private:
    struct Free {
      void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    };
    const pcre2_code* code_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::unique_ptr<pcre2_match_data, Free> match_;
  };

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
};

}  // namespace bcp::tokenize

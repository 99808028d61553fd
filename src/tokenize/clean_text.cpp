// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/clean_text.hpp"

#include "tokenize/fix_text.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

std::string python_words(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (unicode::is_python_space(unicode::next(text, at))) {
      gap = !result.empty();
      continue;
    }
    if (gap) result += ' ';
    gap = false;
    result += text.substr(start, at - start);
  }
  return result;
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  return unicode::lower(python_words(fix_text(unicode::well_formed(bytes))), unicode::Sigma::kFinalInWords);
}

}  // namespace bcp::tokenize

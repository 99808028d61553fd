// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/normalizer.hpp"

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

std::string collapse_space(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_space = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const bool space = unicode::is_white_space(unicode::next(text, at));
    if (!space)
      result += text.substr(start, at - start);
    else if (!in_space)
      result += ' ';
    in_space = space;
  }
  return result;
}

}  // namespace

std::string Normalizer::apply(std::string_view text) const {
  std::string result(text);
  for (const Step step : steps) {
    switch (step) {
      case Step::kCompose:
        result = unicode::compose(result);
        break;
      case Step::kCollapseSpace:
        result = collapse_space(result);
        break;
      case Step::kLowercase:
        result = unicode::lower(result, unicode::Sigma::kAlwaysSame);
        break;
    }
  }
  return result;
}

}  // namespace bcp::tokenize

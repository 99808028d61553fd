// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/normalizer.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

// Bytes; far more than a text tower reads. Repeated steps that lengthen a text could exhaust the memory.
constexpr std::size_t kLongest = std::size_t{1} << 20;

std::string single_spaces(std::string_view text) {
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

std::string strip_accents(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (!unicode::is_mark(unicode::next(text, at))) result += text.substr(start, at - start);
  }
  return result;
}

std::string apply_step(Normalizer::Plain step, std::string_view text) {
  switch (step) {
    case Normalizer::Plain::kCompose:
      return unicode::compose(text);
    case Normalizer::Plain::kDecompose:
      return unicode::decompose(text);
    case Normalizer::Plain::kComposeCompatible:
      return unicode::compose_compatible(text);
    case Normalizer::Plain::kDecomposeCompatible:
      return unicode::decompose_compatible(text);
    case Normalizer::Plain::kCollapseSpace:
      return single_spaces(text);
    case Normalizer::Plain::kLowercase:
      return unicode::lower(text, unicode::Sigma::kAlwaysSame);
    case Normalizer::Plain::kStripAccents:
      return strip_accents(text);
  }
  return std::string(text);
}

std::string apply_step(const Normalizer::Strip& step, std::string_view text) {
  if (step.left) text.remove_prefix(unicode::leading_space(text));
  if (step.right) text.remove_suffix(unicode::trailing_space(text));
  return std::string(text);
}

std::string apply_step(const Normalizer::Prepend& step, std::string_view text) {
  return text.empty() ? std::string() : step.text + std::string(text);
}

std::string apply_step(const Normalizer::Replace& step, std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = 0;
  for (const Pattern::Match& match : step.pattern.matches(text)) {
    if (result.size() > kLongest) return result;
    result += text.substr(at, match.begin - at);
    result += step.content;
    at = match.end;
  }
  result += text.substr(at);
  return result;
}

std::string apply_step(const Precompiled& step, std::string_view text) {
  return step.apply(text);
}

}  // namespace

std::string Normalizer::apply(std::string_view text) const {
  std::string result = lowercase_first ? apply_step(Plain::kLowercase, text) : std::string(text);
  for (const Step& step : steps) {
    result = std::visit([&](const auto& each) { return apply_step(each, result); }, step);
    if (result.size() > kLongest) result.resize(utf8::valid_prefix(std::string_view(result).substr(0, kLongest)));
  }
  return result;
}

bool Normalizer::may_remove_beginning() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    if (const auto* const strip = std::get_if<Strip>(&step)) return strip->left;
    if (const auto* const replace = std::get_if<Replace>(&step)) return replace->content.empty();
    if (const auto* const plain = std::get_if<Plain>(&step)) return *plain == Plain::kStripAccents;
    return std::holds_alternative<Precompiled>(step);
  });
}

}  // namespace bcp::tokenize

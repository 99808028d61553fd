// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/pattern.hpp"

#include <array>
#include <new>
#include <optional>
#include <utility>

#include "tokenize/white_space.hpp"

namespace bcp::tokenize {
namespace {

Error refused(std::string reason) {
  return Error{ErrorCode::kUnsupported, std::move(reason)};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Translates an expression of Oniguruma to PCRE2, or rejects parts on which they may differ.
class Translator {
 public:
  explicit Translator(std::string_view from) : from_(from) {}

  Result<std::string> run() {
    while (at_ < from_.size()) {
      const Status step = in_class_ ? class_step() : step_outside();
      if (!step) return step.error();
    }
    if (in_class_) return refused("has a class that does not end");
    return std::move(to_);
  }

 private:
  Error unknown(std::string_view part) const {
    return refused("has \"" + std::string(part) + "\", which is not supported");
  }

  // Reads an escape sequence.
  Status escape() {
    if (at_ + 1 >= from_.size()) return refused("ends in a backslash");
    const char c = from_[at_ + 1];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == 's') {
      to_ += in_class_ ? std::string(kWhiteSpaceRanges) : "[" + std::string(kWhiteSpaceRanges) + "]";
    } else if (c == 't' || c == 'n' || c == 'r' || (!letter && !is_digit(c) && !(c & 0x80))) {
      to_ += {'\\', c};
    } else {
      return unknown(from_.substr(at_, 2));
    }
    at_ += 2;
    return ok();
  }

  Status class_step() {
    const char c = from_[at_];
    if (c == '\\') return escape();
    if (c == '[' || from_.substr(at_).starts_with("&&")) return unknown(from_.substr(at_, 2));
    if (c == ']') {
      if (at_ == class_start_) return unknown("[]");
      in_class_ = false;
      repeats_ = false;
    }
    to_ += c;
    ++at_;
    return ok();
  }

  Status step_outside() {
    const char c = from_[at_];
    const bool repeated = std::exchange(repeats_, false);
    switch (c) {
      case '\\':
        return escape();
      case '(':
      case ')':
      case '.':
      case '^':
      case '$':
      case ']':
      case '}':
        return unknown(from_.substr(at_, 1));
      case '[':
        in_class_ = true;
        to_ += from_[at_++];
        if (from_.substr(at_).starts_with('^')) to_ += from_[at_++];
        class_start_ = at_;
        return ok();
      case '{':
      case '*':
      case '+':
      case '?': {
        const std::size_t length = c == '{' ? braces() : 1;
        // Repetition of repetition has different meanings in the two.
        if (repeated || length == 0 || to_.empty() || to_.back() == '|') return unknown(from_.substr(at_, 4));
        repeats_ = true;
        to_ += from_.substr(at_, length);
        at_ += length;
        return ok();
      }
      default:
        to_ += c;
        ++at_;
        return ok();
    }
  }

  // The length of "{2}", "{2,}" or "{2,3}" here, or 0.
  std::size_t braces() const {
    std::size_t end = at_ + 1;
    const auto digits = [&] {
      const std::size_t start = end;
      while (end < from_.size() && is_digit(from_[end]) && end - start < 4) ++end;
      return end > start;
    };
    if (!digits()) return 0;
    if (end < from_.size() && from_[end] == ',') {
      ++end;
      digits();
    }
    return end < from_.size() && from_[end] == '}' ? end + 1 - at_ : 0;
  }

  std::string_view from_;
  std::string to_;
  std::size_t at_ = 0, class_start_ = 0;
  bool in_class_ = false, repeats_ = false;
};

}  // namespace

Pattern Pattern::literal(std::string text) {
  Pattern pattern;
  pattern.literal_ = std::move(text);
  return pattern;
}

Result<Pattern> Pattern::compile(const std::string& expression) {
  int code = 0;
  PCRE2_SIZE at = 0;
  Pattern pattern;
  pattern.code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(), PCRE2_UTF,
                                    &code, &at, nullptr));
  if (pattern.code_) return pattern;
  std::array<PCRE2_UCHAR, 256> reason{};
  pcre2_get_error_message(code, reason.data(), reason.size());
  return refused(std::string("is rejected by PCRE2 (") + reinterpret_cast<const char*>(reason.data()) + ")");
}

Result<Pattern> Pattern::regex(std::string_view expression) {
  const Result<std::string> translated = Translator(expression).run();
  if (!translated) return translated.error();
  Result<Pattern> pattern = compile(*translated);
  if (!pattern) return pattern;
  std::uint32_t may_be_empty = 0;
  pcre2_pattern_info(pattern->code_.get(), PCRE2_INFO_MATCHEMPTY, &may_be_empty);
  if (may_be_empty != 0) return refused("may match the empty string, which is not supported");
  return pattern;
}

Result<Pattern> Pattern::grapheme() {
  return compile(R"(\X)");
}

std::vector<Pattern::Match> Pattern::matches(std::string_view text) const {
  std::vector<Match> found;
  if (!code_) {
    for (std::size_t at = 0; (at = text.find(literal_, at)) != std::string_view::npos; at += literal_.size())
      found.push_back({at, at + literal_.size()});
    return found;
  }
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(pcre2_match_data_create(1, nullptr),
                                                                            &pcre2_match_data_free);
  if (!data) throw std::bad_alloc();
  for (std::size_t at = 0; at < text.size();) {
    if (pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, PCRE2_NO_UTF_CHECK,
                    data.get(), nullptr) < 0)
      break;
    const PCRE2_SIZE* const range = pcre2_get_ovector_pointer(data.get());
    found.push_back({range[0], range[1]});
    at = range[1];
  }
  return found;
}

}  // namespace bcp::tokenize

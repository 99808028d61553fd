// SPDX-License-Identifier: LGPL-2.1-or-later
// Recursive descent, one function a rule of the grammar (README.md). Depth is limited, so the stack is too.

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/utf8.hpp"
#include "condition/condition.hpp"
#include "condition/fault.hpp"
#include "condition/token.hpp"

namespace bcp::condition {
namespace {

std::optional<double> number_in(std::string_view word) {
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// What the user probably meant by a character that is not part of a label.
std::string hint_for(char32_t character, std::string_view word) {
  switch (character) {
    case '&':
      return "; write \"and\"";
    case '|':
      return "; write \"or\"";
    case '!':
      return "; write \"not\"";
    case ',':
      return "; write \"and\" or \"or\" between labels";
    case 0x2018:
    case 0x2019:
    case 0x201C:
    case 0x201D:
    case 0x201E:
      return "; labels are quoted with \" or '";
    default:
      return "; a label with such a character is quoted: " + spelled(word);
  }
}

std::optional<Node::Kind> comparison(TokenKind kind) {
  switch (kind) {
    case TokenKind::kMore:
      return Node::Kind::kMore;
    case TokenKind::kAtLeast:
      return Node::Kind::kAtLeast;
    case TokenKind::kLess:
      return Node::Kind::kLess;
    case TokenKind::kAtMost:
      return Node::Kind::kAtMost;
    default:
      return std::nullopt;
  }
}

}  // namespace

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}

  Result<Condition> parse() {
    if (Status first = advance(); !first) return first.error();
    Result<Node> root = alternatives(0);
    if (!root) return root.error();
    if (token_.kind != TokenKind::kEnd) return unexpected();
    condition_.root_ = *std::move(root);
    return std::move(condition_);
  }

 private:
  // expression = conjunction { "or" conjunction }
  Result<Node> alternatives(std::size_t depth) {
    return list(Node::Kind::kOr, TokenKind::kOr,
                [&] { return list(Node::Kind::kAnd, TokenKind::kAnd, [&] { return factor(depth); }); });
  }

  // One part, or several with `separator` between them.
  template <typename Part>
  Result<Node> list(Node::Kind kind, TokenKind separator, Part&& part) {
    Result<Node> first = part();
    if (!first || token_.kind != separator) return first;
    Node all{.kind = kind, .parts = {}};
    all.parts.push_back(*std::move(first));
    while (token_.kind == separator) {
      if (Status taken = advance(); !taken) return taken.error();
      Result<Node> next = part();
      if (!next) return next;
      all.parts.push_back(*std::move(next));
    }
    return all;
  }

  // factor = "not" factor | "(" expression ")" | "any" | label [ comparison ]
  Result<Node> factor(std::size_t depth) {
    if (depth >= kMaxDepth && (token_.kind == TokenKind::kNot || token_.kind == TokenKind::kOpen)) {
      return fault_at(text_, token_.at, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    switch (token_.kind) {
      case TokenKind::kNot: {
        if (Status taken = advance(); !taken) return taken.error();
        Result<Node> part = factor(depth + 1);
        if (!part) return part;
        Node negated{.kind = Node::Kind::kNot, .parts = {}};
        negated.parts.push_back(*std::move(part));
        return negated;
      }
      case TokenKind::kOpen:
        return parenthesis(depth);
      case TokenKind::kAny:
        if (Status taken = advance(); !taken) return taken.error();
        return Node{.kind = Node::Kind::kAny, .parts = {}};
      case TokenKind::kWord:
      case TokenKind::kQuoted:
        return test();
      default:
        return expected("a label");
    }
  }

  Result<Node> parenthesis(std::size_t depth) {
    open_.push_back(token_.at);
    if (Status taken = advance(); !taken) return taken.error();
    Result<Node> inside = alternatives(depth + 1);
    if (!inside) return inside;
    if (token_.kind != TokenKind::kClose) return unexpected();
    open_.pop_back();
    if (Status taken = advance(); !taken) return taken.error();
    return inside;
  }

  // label [ ( ">" | ">=" | "<" | "<=" ) number ]
  Result<Node> test() {
    Result<std::size_t> label = take_label();
    if (!label) return label.error();
    Node node{.kind = Node::Kind::kShown, .label = *label, .parts = {}};
    const auto kind = comparison(token_.kind);
    if (!kind) return node;
    node.kind = *kind;
    if (Status taken = advance(); !taken) return taken.error();
    const auto bound = token_.kind == TokenKind::kWord ? number_in(token_.source) : std::nullopt;
    if (!bound || !(*bound >= 0 && *bound <= 1)) return expected("a probability from 0 to 1");
    node.bound = *bound == 0 ? 0 : *bound;  // -0 is 0
    if (Status taken = advance(); !taken) return taken.error();
    return node;
  }

  // The index of the label that the token is.
  Result<std::size_t> take_label() {
    std::string name = std::move(token_.label);
    if (token_.kind == TokenKind::kWord) {
      name = token_.source;
      for (std::size_t at = 0; at < name.size();) {
        const utf8::CodePoint character = *utf8::first(std::string_view(name).substr(at));  // the lexer has checked it
        if (!is_label_character(character.value)) return not_in_label(name, at, character);
        at += character.bytes;
      }
    }
    if (Status taken = advance(); !taken) return taken.error();
    auto& labels = condition_.labels_;
    const auto known = std::find(labels.begin(), labels.end(), name);
    const auto index = static_cast<std::size_t>(known - labels.begin());
    if (known == labels.end()) labels.push_back(std::move(name));
    return index;
  }

  Error not_in_label(const std::string& word, std::size_t at, const utf8::CodePoint& character) const {
    if (number_in(word)) {
      return fault_at(text_, token_.at, "expected a label, found the number " + word,
                      "; write the label first: person > 0.7");
    }
    return fault_at(text_, token_.at + at, "unexpected " + shown(word.substr(at, character.bytes)),
                    hint_for(character.value, word));
  }

  // Something has to come here that does not.
  Error expected(const std::string& what) const {
    const std::string after = last_.empty() ? "" : " after " + shown(last_);
    const std::string found = token_.kind == TokenKind::kEnd ? "" : ", found " + shown(token_.source);
    return fault_at(text_, token_.at, "expected " + what + after, found);
  }

  // A whole expression is over, and something follows.
  Error unexpected() const {
    if (token_.kind == TokenKind::kClose) return fault_at(text_, token_.at, "unexpected \")\"", "; no \"(\" is open");
    std::string more = token_.kind == TokenKind::kEnd ? "" : ", found " + shown(token_.source);
    if (!open_.empty()) {
      more += "; the \"(\" at character " + std::to_string(character_at(text_, open_.back())) + " is open";
    } else if (token_.kind == TokenKind::kWord) {
      const char32_t first = utf8::first(token_.source)->value;
      more += is_label_character(first) ? "; a label of several words is quoted: \"delivery van\""
                                        : hint_for(first, token_.source);
    }
    const std::string end = open_.empty() ? "the end" : "\")\"";
    return fault_at(text_, token_.at, "expected \"and\", \"or\" or " + end + " after " + shown(last_), more);
  }

  // In quotes, unless it has some.
  static std::string shown(std::string_view token) {
    return token.starts_with('"') || token.starts_with('\'') ? std::string(token)
                                                             : std::string("\"").append(token).append("\"");
  }

  Status advance() {
    last_ = token_.source;
    Result<Token> next = lexer_.next();
    if (!next) return next.error();
    token_ = *std::move(next);
    return ok();
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;                    // the next one
  std::string_view last_;          // before it; empty at the beginning
  std::vector<std::size_t> open_;  // the ( that no ) has closed
  Condition condition_;
};

Result<Condition> Condition::parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return invalid("the condition has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kMaxBytes) +
                   " are allowed");
  }
  return Parser(text).parse();
}

}  // namespace bcp::condition

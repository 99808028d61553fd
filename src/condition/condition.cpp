// SPDX-License-Identifier: LGPL-2.1-or-later

#include "condition/condition.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.hpp"
#include "condition/token.hpp"

namespace bcp::condition {
namespace {

using Kind = Node::Kind;

bool holds_in(const Node& node, std::span<const Seen> seen, bool any_shown) {
  const auto part_holds = [&](const Node& part) { return holds_in(part, seen, any_shown); };
  switch (node.kind) {
    case Kind::kShown:
      return seen[node.label].shown;
    case Kind::kAny:
      return any_shown;
    case Kind::kMore:
      return seen[node.label].probability > node.bound;
    case Kind::kAtLeast:
      return seen[node.label].probability >= node.bound;
    case Kind::kLess:
      return seen[node.label].probability < node.bound;
    case Kind::kAtMost:
      return seen[node.label].probability <= node.bound;
    case Kind::kNot:
      return !part_holds(node.parts[0]);
    case Kind::kAnd:
      return std::all_of(node.parts.begin(), node.parts.end(), part_holds);
    case Kind::kOr:
      return std::any_of(node.parts.begin(), node.parts.end(), part_holds);
  }
  return false;
}

// Adds the labels whose presence makes `node` what it is. `wanted`: true, or false below an odd number of `not`s.
void add_reasons(const Node& node, bool wanted, std::span<const Seen> seen, bool any_shown, Reasons& reasons) {
  if (holds_in(node, seen, any_shown) != wanted) return;
  switch (node.kind) {
    case Kind::kAny:
      reasons.any |= wanted;
      return;
    case Kind::kShown:
    case Kind::kMore:
    case Kind::kAtLeast:
      if (wanted) reasons.labels.push_back(node.label);
      return;
    case Kind::kLess:
    case Kind::kAtMost:
      // `not x < 0.5` is true because of x, unless the result does not know x.
      if (!wanted && !std::isnan(seen[node.label].probability)) reasons.labels.push_back(node.label);
      return;
    case Kind::kNot:
      add_reasons(node.parts[0], !wanted, seen, any_shown, reasons);
      return;
    case Kind::kAnd:
    case Kind::kOr:
      for (const Node& part : node.parts) add_reasons(part, wanted, seen, any_shown, reasons);
      return;
  }
}

std::string number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

const char* symbol_of(Kind kind) {
  switch (kind) {
    case Kind::kMore:
      return " > ";
    case Kind::kAtLeast:
      return " >= ";
    case Kind::kLess:
      return " < ";
    default:
      return " <= ";
  }
}

// How tightly it binds.
int rank(Kind kind) {
  switch (kind) {
    case Kind::kOr:
      return 0;
    case Kind::kAnd:
      return 1;
    default:
      return 2;
  }
}

std::string text_of(const Node& node, const std::vector<std::string>& labels) {
  // A part that does not bind tighter than what it is a part of needs parentheses.
  const auto part_text = [&](const Node& part) {
    std::string text = text_of(part, labels);
    const bool bare = rank(part.kind) > rank(node.kind) || rank(part.kind) == 2;
    return bare ? text : "(" + text + ")";
  };
  switch (node.kind) {
    case Kind::kShown:
      return spelled(labels[node.label]);
    case Kind::kAny:
      return "any";
    case Kind::kNot:
      return "not " + part_text(node.parts[0]);
    case Kind::kAnd:
    case Kind::kOr: {
      std::string text;
      for (const Node& part : node.parts) {
        if (!text.empty()) text += node.kind == Kind::kAnd ? " and " : " or ";
        text += part_text(part);
      }
      return text;
    }
    default:
      return spelled(labels[node.label]) + symbol_of(node.kind) + number(node.bound);
  }
}

}  // namespace

bool Condition::holds(std::span<const Seen> seen, bool any_shown) const {
  return holds_in(root_, seen, any_shown);
}

Reasons Condition::reasons(std::span<const Seen> seen, bool any_shown) const {
  Reasons reasons;
  add_reasons(root_, true, seen, any_shown, reasons);
  std::sort(reasons.labels.begin(), reasons.labels.end());
  reasons.labels.erase(std::unique(reasons.labels.begin(), reasons.labels.end()), reasons.labels.end());
  return reasons;
}

std::string Condition::text() const {
  return text_of(root_, labels_);
}

std::string spelled(std::string_view label) {
  bool plain = !label.empty() && !is_keyword(label);
  for (std::string_view rest = label; plain && !rest.empty();) {
    const auto character = utf8::first(rest);
    plain = character && is_label_character(character->value);
    rest.remove_prefix(character ? character->bytes : 1);
  }
  if (plain) return std::string(label);
  std::string quoted = "\"";
  for (const char c : label) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace bcp::condition

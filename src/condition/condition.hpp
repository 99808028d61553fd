// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A condition on the labels of a frame, as people write it:
//
//   person and not car                   person is shown, and car is not
//   "delivery van" or truck              a label of several words is quoted, with " or '
//   person > 0.7                         its probability, shown or not: >, >=, < and <=
//   (dog or cat) and not "fire hydrant" >= 0.35
//   any, not any                         at least one label is shown, none is
//
// `not` binds tighter than `and`, `and` tighter than `or`; a comparison belongs to its label. Keywords may be written
// in any case; labels are compared exactly, case included. README.md has the grammar.
//
// Thread safety: a condition never changes after parse(); any thread may read it.

#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::condition {

inline constexpr std::size_t kMaxBytes = 4096;
inline constexpr std::size_t kMaxDepth = 64;  // of parentheses and `not`

// A part of a condition. Internal to this room.
struct Node {
  enum class Kind { kShown, kAny, kMore, kAtLeast, kLess, kAtMost, kNot, kAnd, kOr };

  Kind kind = Kind::kAny;
  std::size_t label = 0;    // of kShown and comparisons: an index of labels()
  double bound = 0;         // of comparisons
  std::vector<Node> parts;  // one of kNot, two or more of kAnd and kOr

  bool operator==(const Node&) const = default;
};

// What a result says about one label. The default: the result does not know the label. It is not shown, and every
// comparison with it is false.
struct Seen {
  bool shown = false;
  double probability = NAN;
};

// Why a condition is true.
struct Reasons {
  std::vector<std::size_t> labels;  // indices of labels(), each once, in that order: those whose presence counts
  bool any = false;                 // every label that is shown counts
};

class Condition {
 public:
  // An error has three lines: what was expected at which character, the text, and a caret below that character.
  static Result<Condition> parse(std::string_view text);

  // The labels it names, each once, in the order of the text.
  const std::vector<std::string>& labels() const { return labels_; }

  // Whether it is true. `any_shown`: the result shows at least one label, named in the condition or not.
  // REQUIRES: seen[i] is about labels()[i].
  bool holds(std::span<const Seen> seen, bool any_shown) const;
  // Empty when it is false, and when it is true only because labels are absent.
  Reasons reasons(std::span<const Seen> seen, bool any_shown) const;

  // The condition in its shortest spelling; parse() makes an equal condition of it.
  std::string text() const;

  bool operator==(const Condition&) const = default;

 private:
  friend class Parser;

  std::vector<std::string> labels_;
  Node root_;
};

// `label` as a condition has it: in quotes where it needs them.
std::string spelled(std::string_view label);

}  // namespace bcp::condition

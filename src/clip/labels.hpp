// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The words a user wants found: lists as they are typed in a property, and files.
//
// Every label is cleaned the same way wherever it comes from: it must be valid UTF-8; white space (control characters
// count as such) is trimmed at both ends and collapsed to one space inside. Empty labels are dropped. Two labels that
// are the same after cleaning are an error that names them, and so is a list that is empty or longer than kMaxLabels,
// and a label longer than kMaxLabelBytes: it is some other text, and no message should repeat it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::clip {

inline constexpr std::size_t kMaxLabels = 20'000;
inline constexpr std::size_t kMaxLabelBytes = 800;  // more than any text tower reads

struct Label {
  std::string name;
  std::optional<double> threshold = {};      // wins over the element's own, when given
  std::vector<std::string> templates = {};   // of its prompts (prompts.hpp), in place of the element's; may be empty
  std::vector<std::string> synonyms = {};    // other names for the same thing, cleaned as it is
  std::optional<std::uint32_t> colour = {};  // 0xRRGGBB, to be drawn in
  std::optional<double> often = {};          // how often it is present, in (0, 1), when the user gives a hint
};

// One label, cleaned as above; empty when nothing is left of it.
Result<std::string> clean_label(std::string_view text);

// Labels separated by commas or newlines; `\,` is a comma inside a label, `\\` a backslash.
Result<std::vector<Label>> parse_labels(std::string_view text);

// One label a line (CRLF and a byte-order mark are accepted; empty lines and lines that begin with # are skipped), or
// JSON: an array of strings and of objects {"label": "...", "threshold": 0.3, "template": "a drawing of a {}",
// "synonyms": ["..."], "colour": "#e69f00", "often": "always"}, of which only the label is needed; the template may be
// a list of several, color is colour, and often is "always" (half of all frames, 0.5), "sometimes" (0.1), "rare" (0.02)
// or a number between 0 and 1. Any other key is an error, so that a misspelt one is not ignored. The first
// character that is not white space decides the format. Errors name `path` and, where there is one, the line.
Result<std::vector<Label>> load_labels(const std::string& path);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The label list of a user, from a property or a file.
//
// Labels from any source are cleaned the same way: they must be valid UTF-8; white space (including control characters)
// is trimmed at both ends and collapsed to one space inside. Empty labels are dropped. Errors: two labels that are
// equal after cleaning, an empty list, more than kMaxLabels labels, and a label longer than kMaxLabelBytes (it is
// probably another kind of text, so messages do not repeat it).

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
  std::optional<double> threshold = {};      // overrides the element's threshold
  std::vector<std::string> templates = {};   // prompts (prompts.hpp) instead of the element's; may be empty
  std::vector<std::string> synonyms = {};    // other names for the same thing, cleaned like it
  std::optional<std::uint32_t> colour = {};  // 0xRRGGBB, for drawing
  std::optional<double> often = {};          // the user's hint how often it is present, in (0, 1)
};

// Cleans one label; empty if nothing remains.
Result<std::string> clean_label(std::string_view text);

// Labels separated by commas or newlines; `\,` is a comma inside a label, `\\` a backslash.
Result<std::vector<Label>> parse_labels(std::string_view text);

// One label per line (CRLF and a byte-order mark are accepted; empty lines and lines that begin with # are skipped), or
// JSON: an array of strings and objects {"label": "...", "threshold": 0.3, "template": "a drawing of a {}", "synonyms":
// ["..."], "colour": "#e69f00", "often": "always"}. Only "label" is required; "template" may be a list, "color" is the
// same as "colour", and "often" is "always" (half of all frames, 0.5), "sometimes" (0.1), "rare" (0.02) or a number
// between 0 and 1. Any other key is an error, so that misspelt keys are noticed. The first character that is not white
// space selects the format. Errors name `path` and the line, if known.
Result<std::vector<Label>> load_labels(const std::string& path);

}  // namespace bcp::clip

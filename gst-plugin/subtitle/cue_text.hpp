// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of a subtitle for a list of labels.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/labels_shown.hpp"

namespace bcp::subtitle {

// "car, person", or "car 0.91, person 0.45".
std::string cue_text(const std::vector<gst::LabelShown>& labels, std::string_view separator, bool probabilities);

// `text` without characters that players interpret. Control characters become spaces, bytes that are not UTF-8 become
// U+FFFD. Subtitle formats cannot escape markup, and players differ in what they treat as markup, so < > { } become
// ‹ › ( ).
std::string plain_text(std::string_view text);

}  // namespace bcp::subtitle

// SPDX-License-Identifier: LGPL-2.1-or-later
// Sentences made from labels: CLIP was trained on captions, and "a photo of a dog" works better than "dog".

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::clip {

inline constexpr const char* kDefaultTemplate = "a photo of a {}";
inline constexpr std::size_t kMaxTemplates = 256;  // CLIP's ensemble for ImageNet has 80

// A template is one line of text with exactly one {}, where the label goes.
Status check_template(std::string_view text);

// Templates separated by newlines; empty lines are skipped. An empty list is an error.
Result<std::vector<std::string>> parse_templates(std::string_view text);

// REQUIRES: check_template(text).
std::string fill_template(std::string_view text, std::string_view label);

}  // namespace bcp::clip

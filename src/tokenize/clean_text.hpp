// SPDX-License-Identifier: LGPL-2.1-or-later
// The cleaning CLIP was trained with, as OpenAI's and open_clip's simple_tokenizer have it, but for HTML's character
// references, which are plain text here: "&amp;" stays "&amp;".

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize {

// Repaired (fix_text), runs of white space made one space and none at the ends, lower case.
// Bytes that are no valid UTF-8 are read as U+FFFD.
std::string clean_text(std::string_view bytes);

}  // namespace bcp::tokenize

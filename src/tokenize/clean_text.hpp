// SPDX-License-Identifier: LGPL-2.1-or-later
// The cleaning of CLIP's training, as in OpenAI's and open_clip's simple_tokenizer, except for HTML's character
// references, which are plain text here: "&amp;" stays "&amp;".

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize {

// Repairs the text (fix_text), trims and collapses white space, and converts to lower case. Invalid UTF-8 becomes
// U+FFFD.
std::string clean_text(std::string_view bytes);

}  // namespace bcp::tokenize

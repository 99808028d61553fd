// SPDX-License-Identifier: LGPL-2.1-or-later
// One self-contained HTML file: the shared frame around the contents of a page.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bcp::cli::html {

struct Page {
  std::string title;            // any text
  std::string_view body;        // HTML, with @TITLE@ where the title goes
  std::string_view style;       // CSS, after the style that all pages share
  std::string_view script;      // JavaScript, in one scope with the script that all pages share
  nlohmann::ordered_json data;  // what the script reads, as the text of the element #data
};

// The file. Nothing in the title or the data can become HTML or a script.
std::string assemble(const Page& page);

}  // namespace bcp::cli::html

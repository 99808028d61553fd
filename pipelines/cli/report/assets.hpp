// SPDX-License-Identifier: LGPL-2.1-or-later
// The fixed parts of the page, which the build puts into the program (assets.S.in).

#pragma once

#include <string_view>

namespace bcp::cli::report {

struct Assets {
  std::string_view frame;    // page/page.html, with @NAME@ where the other parts go
  std::string_view style;    // page/style.css
  std::string_view script;   // page/*.js, one after the other
  std::string_view charts;   // third_party/echarts/echarts.min.js
  std::string_view licence;  // of the charts
};

const Assets& assets();

}  // namespace bcp::cli::report

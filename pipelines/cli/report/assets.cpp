// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/assets.hpp"

extern "C" {
extern const char bcp_page_frame[], bcp_page_frame_end[];
extern const char bcp_page_style[], bcp_page_style_end[];
extern const char bcp_page_script[], bcp_page_script_end[];
extern const char bcp_page_charts[], bcp_page_charts_end[];
extern const char bcp_page_licence[], bcp_page_licence_end[];
}

namespace bcp::cli::report {

const Assets& assets() {
  static const Assets all = {
      .frame = {bcp_page_frame, bcp_page_frame_end},
      .style = {bcp_page_style, bcp_page_style_end},
      .script = {bcp_page_script, bcp_page_script_end},
      .charts = {bcp_page_charts, bcp_page_charts_end},
      .licence = {bcp_page_licence, bcp_page_licence_end},
  };
  return all;
}

}  // namespace bcp::cli::report

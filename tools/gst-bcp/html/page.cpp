// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/html/page.hpp"

#include <chrono>
#include <ctime>
#include <map>

#include "gst-bcp/html/encode.hpp"

extern "C" {
extern const char bcp_asset_html_frame[], bcp_asset_html_frame_end[];
extern const char bcp_asset_html_style[], bcp_asset_html_style_end[];
extern const char bcp_asset_html_script[], bcp_asset_html_script_end[];
extern const char bcp_asset_html_charts[], bcp_asset_html_charts_end[];
extern const char bcp_asset_html_licence[], bcp_asset_html_licence_end[];
}

namespace bcp::cli::html {
namespace {

std::string today() {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm broken{};
  gmtime_r(&seconds, &broken);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &broken);
  return text;
}

// Inserts the parts at their names in the frame. Inserted text is not searched again.
std::string filled(std::string_view frame, const std::map<std::string_view, std::string_view>& parts) {
  std::string page;
  while (true) {
    const std::size_t start = frame.find('@');
    page += frame.substr(0, start);
    if (start == std::string_view::npos) return page;
    const std::size_t end = frame.find('@', start + 1);
    page += parts.at(frame.substr(start + 1, end - start - 1));
    frame.remove_prefix(end + 1);
  }
}

}  // namespace

std::string assemble(const Page& page) {
  const std::string_view frame{bcp_asset_html_frame, bcp_asset_html_frame_end};
  const std::string_view style{bcp_asset_html_style, bcp_asset_html_style_end};
  const std::string_view script{bcp_asset_html_script, bcp_asset_html_script_end};
  const std::string title = escaped(page.title);
  const std::string body = filled(page.body, {{"TITLE", title}});
  const std::string whole_style = std::string(style) + std::string(page.style);
  const std::string whole_script = std::string(script) + std::string(page.script);
  const std::string data = script_safe(page.data);
  const std::string made = "Made by gst-bcp " BCP_VERSION " on " + today() + ".";
  return filled(frame, {{"TITLE", title},
                        {"STYLE", whole_style},
                        {"BODY", body},
                        {"MADE", made},
                        {"LICENCE", {bcp_asset_html_licence, bcp_asset_html_licence_end}},
                        {"CHARTS", {bcp_asset_html_charts, bcp_asset_html_charts_end}},
                        {"DATA", data},
                        {"SCRIPT", whole_script}});
}

}  // namespace bcp::cli::html

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/bundle.hpp"

#include <array>
#include <utility>

extern "C" {
extern const char bcp_asset_view_index[], bcp_asset_view_index_end[];
extern const char bcp_asset_view_login[], bcp_asset_view_login_end[];
extern const char bcp_asset_view_script[], bcp_asset_view_script_end[];
extern const char bcp_asset_view_login_script[], bcp_asset_view_login_script_end[];
extern const char bcp_asset_view_style[], bcp_asset_view_style_end[];
extern const char bcp_asset_view_icon[], bcp_asset_view_icon_end[];
}

namespace bcp::cli::view {

const BundleFile* bundle_file(std::string_view path) {
  static const std::array<std::pair<std::string_view, BundleFile>, 6> kFiles{{
      {"/", {"text/html; charset=utf-8", {bcp_asset_view_index, bcp_asset_view_index_end}, false}},
      {"/page.js", {"text/javascript; charset=utf-8", {bcp_asset_view_script, bcp_asset_view_script_end}, false}},
      {"/login", {"text/html; charset=utf-8", {bcp_asset_view_login, bcp_asset_view_login_end}, true}},
      {"/login.js",
       {"text/javascript; charset=utf-8", {bcp_asset_view_login_script, bcp_asset_view_login_script_end}, true}},
      {"/style.css", {"text/css; charset=utf-8", {bcp_asset_view_style, bcp_asset_view_style_end}, true}},
      {"/icon.svg", {"image/svg+xml", {bcp_asset_view_icon, bcp_asset_view_icon_end}, true}},
  }};
  for (const auto& [name, file] : kFiles)
    if (name == path) return &file;
  return nullptr;
}

}  // namespace bcp::cli::view

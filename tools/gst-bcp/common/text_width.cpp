// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/text_width.hpp"

#include <glib.h>

namespace bcp::cli {
namespace {

int columns_of(gunichar c) {
  if (g_unichar_iszerowidth(c)) return 0;
  return g_unichar_iswide(c) ? 2 : 1;
}

}  // namespace

int width_of(const std::string& text) {
  int width = 0;
  for (const char* at = text.c_str(); *at; at = g_utf8_next_char(at)) width += columns_of(g_utf8_get_char(at));
  return width;
}

std::string fitted(const std::string& text, int columns, const std::string& more) {
  if (columns <= 0) return {};
  if (width_of(text) <= columns) return text;
  int width = width_of(more);
  const char* at = text.c_str();
  for (; *at; at = g_utf8_next_char(at)) {
    width += columns_of(g_utf8_get_char(at));
    if (width > columns) break;
  }
  return std::string(text.c_str(), at) + more;
}

}  // namespace bcp::cli

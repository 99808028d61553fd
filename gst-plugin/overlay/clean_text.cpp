// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/clean_text.hpp"

#include <glib.h>

#include <memory>

namespace bcp::overlay {
namespace {

bool turns_direction(gunichar c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// White space, control characters and line breaks, which become a space.
bool is_gap(gunichar c) {
  const GUnicodeType type = g_unichar_type(c);
  return g_unichar_isspace(c) || type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR ||
         type == G_UNICODE_PARAGRAPH_SEPARATOR || c == 0xFEFF;
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t most) {
  const std::unique_ptr<gchar, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data() ? text.data() : "", static_cast<gssize>(text.size())), g_free);
  std::string result;
  std::size_t characters = 0;
  bool gap = false;
  for (const char* at = valid.get(); *at && characters < most; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (turns_direction(c)) continue;
    if (is_gap(c)) {
      gap = !result.empty();
      continue;
    }
    if (gap) result += ' ';
    gap = false;
    result.append(at, static_cast<std::size_t>(g_utf8_next_char(at) - at));
    ++characters;
  }
  return result;
}

}  // namespace bcp::overlay

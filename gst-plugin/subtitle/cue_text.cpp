// SPDX-License-Identifier: LGPL-2.1-or-later

#include "subtitle/cue_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace bcp::subtitle {
namespace {

// A line break, a control character, a change of text direction, or not a character.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F && c != 0x200C && c != 0x200D) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

// Uses std::to_chars, because printf's decimal point depends on the locale, which gst-launch sets.
void append(std::string& out, double probability) {
  std::array<char, 32> text;
  const double shown = std::isfinite(probability) ? std::clamp(probability, 0.0, 1.0) : 0;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), shown, std::chars_format::fixed, 2);
  out.append(text.data(), end.ptr);
}

}  // namespace

std::string cue_text(const std::vector<gst::LabelShown>& labels, std::string_view separator, bool probabilities) {
  std::string text;
  for (const gst::LabelShown& label : labels) {
    if (!text.empty()) text += separator;
    text += plain_text(label.name);
    if (!probabilities) continue;
    text += ' ';
    append(text, label.probability);
  }
  return text;
}

std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto character = utf8::first(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      plain += "\uFFFD";
    } else if (is_control(character->value)) {
      plain += ' ';
    } else if (character->value == '<') {
      plain += "\u2039";
    } else if (character->value == '>') {
      plain += "\u203A";
    } else if (character->value == '{') {
      plain += '(';
    } else if (character->value == '}') {
      plain += ')';
    } else {
      plain += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return plain;
}

}  // namespace bcp::subtitle

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/prompts.hpp"

#include "base/utf8.hpp"
#include "clip/labels.hpp"

namespace bcp::clip {
namespace {

constexpr std::string_view kPlace = "{}";

Error invalid_template(std::string_view text, const std::string& why) {
  std::string shown(text.substr(0, utf8::valid_prefix(text.substr(0, 60))));
  if (shown.size() < text.size()) shown += "...";
  return Error{ErrorCode::kInvalid, "the prompt template \"" + shown + "\" " + why};
}

}  // namespace

Status check_template(std::string_view text) {
  if (utf8::valid_prefix(text) != text.size())
    return invalid_template(text, "is not valid UTF-8: save the text as UTF-8");
  if (text.size() > kMaxLabelBytes)
    return invalid_template(text, "has " + std::to_string(text.size()) + " bytes, more than the " +
                                      std::to_string(kMaxLabelBytes) + " allowed: put each template on its own line");
  const std::size_t place = text.find(kPlace);
  if (place == std::string_view::npos)
    return invalid_template(
        text, std::string("does not say where the label goes: write {} there, as in \"") + kDefaultTemplate + "\"");
  if (text.find(kPlace, place + kPlace.size()) != std::string_view::npos)
    return invalid_template(text, "has {} more than once: write one template per line, with one {}");
  return ok();
}

Result<std::vector<std::string>> parse_templates(std::string_view text) {
  std::vector<std::string> templates;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    line = line.substr(first, last - first + 1);
    if (Status sound = check_template(line); !sound) return sound.error();
    if (templates.size() == kMaxTemplates)
      return Error{ErrorCode::kInvalid,
                   "more than " + std::to_string(kMaxTemplates) + " prompt templates are given: use fewer"};
    templates.emplace_back(line);
  }
  if (templates.empty())
    return Error{ErrorCode::kInvalid, std::string("no prompt template is given: write one per line, such as \"") +
                                          kDefaultTemplate + "\", or leave it unset"};
  return templates;
}

std::string fill_template(std::string_view text, std::string_view label) {
  const std::size_t place = text.find(kPlace);
  std::string filled(text.substr(0, place));
  filled += label;
  filled += text.substr(place + kPlace.size());
  return filled;
}

}  // namespace bcp::clip

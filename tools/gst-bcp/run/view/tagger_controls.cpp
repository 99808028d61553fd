// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/tagger_controls.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "support/owners.hpp"

namespace bcp::cli::view {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostContextWords = 500;

Error wrong(const std::string& sentence) {
  return {ErrorCode::kInvalid, sentence};
}

std::string text_property(GstElement* tagger, const char* name) {
  gchar* text = nullptr;
  g_object_get(tagger, name, &text, nullptr);
  const gst::CharPtr owned(text);
  return text ? text : "";
}

// As the property takes it: a comma in a label is escaped.
std::string escaped(const std::string& label) {
  std::string made;
  for (const char c : label) {
    if (c == ',' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

bool is_plain(const clip::Label& label) {
  return !label.threshold && label.templates.empty() && label.synonyms.empty() && !label.colour && !label.often;
}

// -1, or 0 to 1; unset: neither.
std::optional<double> share_in(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return number == -1 || (number >= 0 && number <= 1) ? std::optional(number) : std::nullopt;
}

}  // namespace

void TaggerControls::attach(GstElement* tagger) {
  const std::string path = text_property(tagger, "labels-file");
  if (path.empty()) return;
  // A file that cannot be read is the tagger's to report.
  Result<std::vector<clip::Label>> labels = clip::load_labels(path);
  if (!labels) return;
  for (clip::Label& label : *labels) known_.insert_or_assign(label.name, label);
}

Status TaggerControls::set_labels(GstElement* tagger, const Json& labels) {
  if (!labels.is_array()) return wrong("the labels are missing");
  std::string list;
  std::map<std::string, std::optional<double>> hints;
  for (const Json& each : labels) {
    const std::string name(text_of(each, "name"));
    const Json& often = value_of(each, "often");
    if (!often.is_null() && (!often.is_number() || often.get<double>() <= 0 || often.get<double>() >= 1))
      return wrong("\"" + name + "\" has a hint that is not between 0 and 1: choose how often it is there");
    list += (list.empty() ? "" : ",") + escaped(name);
    if (Result<std::string> clean = clip::clean_label(name); clean)
      hints[*clean] = often.is_null() ? std::nullopt : std::optional(often.get<double>());
  }
  // The same checks as the tagger's: duplicates, length, number.
  Result<std::vector<clip::Label>> parsed = clip::parse_labels(list);
  if (!parsed) return parsed.error();
  for (clip::Label& label : *parsed) {
    if (const auto known = known_.find(label.name); known != known_.end()) label = known->second;
    label.often = hints[label.name];
    known_.insert_or_assign(label.name, label);
  }
  if (std::all_of(parsed->begin(), parsed->end(), is_plain)) {
    g_object_set(tagger, "labels", list.c_str(), nullptr);
    return ok();
  }
  Result<std::string> file = files_.write_labels(*parsed);
  if (!file) return file.error();
  g_object_set(tagger, "labels-file", file->c_str(), nullptr);
  return ok();
}

Result<TaggerControls::Applied> TaggerControls::set(GstElement* tagger, const Json& settings) {
  const Json& threshold = value_of(settings, "threshold");
  const Json& strength = value_of(settings, "priorStrength");
  const Json& context = value_of(settings, "context");
  if (!threshold.is_null() && !share_in(threshold))
    return wrong("the threshold " + shown(threshold) + " is not between 0 and 1");
  if (!strength.is_null() && !share_in(strength))
    return wrong("the weight " + shown(strength) + " is not between 0 and 1");
  Applied applied;
  if (!context.is_null()) {
    const std::string_view kind = text_of(context, "kind");
    std::string value;
    if (kind == "everyday") {
      value = "everyday";
    } else if (kind == "own") {
      std::vector<std::string> words;
      const Json& given = value_of(context, "words");
      if (!given.is_array() || given.empty()) return wrong("there are no context words: type some, or choose none");
      if (given.size() > kMostContextWords)
        return wrong("there are more than " + std::to_string(kMostContextWords) + " context words");
      for (const Json& word : given) {
        Result<std::string> clean = clip::clean_label(word.is_string() ? word.get<std::string>() : std::string());
        if (!clean) return clean.error();
        if (!clean->empty()) words.push_back(*clean);
      }
      Result<std::string> file = files_.write_words(words);
      if (!file) return file.error();
      words_ = std::move(words);
      words_file_ = value = *file;
    } else if (kind != "none") {
      return wrong("the context words are neither everyday, own nor none");
    }
    if (text_property(tagger, "context-words") != value) {
      g_object_set(tagger, "context-words", value.c_str(), nullptr);
      applied.encodes = true;
    }
  }
  if (const auto value = share_in(threshold)) g_object_set(tagger, "threshold", *value, nullptr);
  if (const auto value = share_in(strength)) g_object_set(tagger, "prior-strength", *value, nullptr);
  return applied;
}

Json TaggerControls::labels(GstElement* tagger, std::size_t most) const {
  gchar** list = nullptr;
  g_object_get(tagger, "labels-in-use", &list, nullptr);
  Json made = Json::array();
  for (gchar** name = list; name && *name && made.size() < most; ++name) {
    const auto known = known_.find(*name);
    const bool has_hint = known != known_.end() && known->second.often;
    made.push_back({{"name", *name}, {"often", has_hint ? Json(*known->second.often) : Json(nullptr)}});
  }
  g_strfreev(list);
  return made;
}

Json TaggerControls::settings(GstElement* tagger) const {
  double threshold = -1, strength = -1;
  g_object_get(tagger, "threshold", &threshold, "prior-strength", &strength, nullptr);
  const std::string context = text_property(tagger, "context-words");
  const bool is_own = !context.empty() && context == words_file_;
  const char* kind = context.empty() ? "none" : context == "everyday" ? "everyday" : is_own ? "own" : "file";
  return {{"threshold", threshold},
          {"priorStrength", strength},
          {"context", {{"kind", kind}, {"words", is_own ? Json(words_) : Json::array()}}}};
}

}  // namespace bcp::cli::view

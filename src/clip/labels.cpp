// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/labels.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "clip/prompts.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

// Enough for kMaxLabels labels of kMaxLabelBytes, or a JSON file with as many objects.
constexpr std::size_t kMaxLabelsFile = std::size_t{16} << 20;

// Collects labels from any source: cleans them, drops empty ones, rejects invalid ones.
class Collector {
 public:
  // `where` names a position for the user: "entry" in a list, "line" in a file.
  explicit Collector(std::string where) : where_(std::move(where)) {}

  Status add(std::string_view text, std::size_t position, Label label = {}) {
    Result<std::string> name = clean_label(text);
    if (!name) return invalid(where_ + " " + std::to_string(position) + ": " + name.error().message);
    if (name->empty()) return ok();
    const auto [first, is_new] = position_of_.emplace(*name, position);
    if (!is_new)
      return invalid("the label \"" + *name + "\" is given twice (" + where_ + " " + std::to_string(first->second) +
                     " and " + where_ + " " + std::to_string(position) +
                     "; compared with case, without extra spaces): remove one");
    if (labels_.size() == kMaxLabels)
      return invalid("more than " + std::to_string(kMaxLabels) + " labels are given: use fewer");
    label.name = *std::move(name);
    labels_.push_back(std::move(label));
    return ok();
  }

  Result<std::vector<Label>> take() {
    if (labels_.empty()) return invalid("no labels are given: name at least one");
    return std::move(labels_);
  }

 private:
  std::string where_;
  std::vector<Label> labels_;
  std::unordered_map<std::string, std::size_t> position_of_;
};

Result<std::vector<Label>> parse_lines(std::string_view text) {
  Collector labels("line");
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t start = content.find_first_not_of(" \t");
    if (start != std::string_view::npos && content[start] == '#') continue;
    if (Status added = labels.add(content, line); !added) return added.error();
  }
  return labels.take();
}

// The strings of a string or a list of strings; empty for other values.
std::optional<std::vector<std::string>> strings(const json& value) {
  if (value.is_string()) return std::vector{value.get<std::string>()};
  const bool list = value.is_array() && !value.empty() &&
                    std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_string(); });
  return list ? std::optional(value.get<std::vector<std::string>>()) : std::nullopt;
}

// "#e69f00"
std::optional<std::uint32_t> parse_colour(const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::uint32_t colour = 0;
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), colour, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(colour) : std::nullopt;
}

// "always", "sometimes", "rare", or a number.
std::optional<double> parse_often(const json& value) {
  if (value == "always") return 0.5;
  if (value == "sometimes") return 0.1;
  if (value == "rare") return 0.02;
  if (!value.is_number()) return std::nullopt;
  const auto share = value.get<double>();
  return share > 0 && share < 1 ? std::optional(share) : std::nullopt;
}

// Reads one key of a label's object. Errors begin with `where`.
Status read_key(const std::string& key, const json& value, const std::string& where, Label& label) {
  if (key == "label") return ok();
  if (key == "threshold") {
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1))
      return invalid(where + " has the threshold " + shown(value) + ": it must be a number from 0 to 1");
    label.threshold = value.get<double>();
    return ok();
  }
  if (key == "colour" || key == "color") {
    label.colour = parse_colour(value);
    if (!label.colour)
      return invalid(where + " has the " + key + " " + shown(value) + ": it must be written as \"#e69f00\"");
    return ok();
  }
  if (key == "often") {
    label.often = parse_often(value);
    if (!label.often)
      return invalid(where + " has \"often\": " + shown(value) +
                     ": it must be \"always\", \"sometimes\", \"rare\" or a number between 0 and 1");
    return ok();
  }
  if (key != "template" && key != "synonyms")
    return invalid(where + " has the unknown key \"" + key +
                   "\": \"label\", \"threshold\", \"template\", \"synonyms\", \"colour\" and \"often\" are allowed");
  const auto list = strings(value);
  if (!list || list->size() > kMaxTemplates)
    return invalid(where + ": \"" + key + "\" must be a string or a list of up to " + std::to_string(kMaxTemplates) +
                   " strings");
  for (const std::string& text : *list) {
    if (key == "template") {
      if (Status sound = check_template(text); !sound) return invalid(where + ": " + sound.error().message);
      label.templates.push_back(text);
      continue;
    }
    Result<std::string> cleaned = clean_label(text);
    if (!cleaned) return invalid(where + ": invalid synonym: " + cleaned.error().message);
    if (!cleaned->empty()) label.synonyms.push_back(*std::move(cleaned));
  }
  return ok();
}

Status add_object(Collector& labels, const json& object, std::size_t position) {
  const std::string where = "entry " + std::to_string(position);
  const auto name = object.find("label");
  const bool named = name != object.end() && name->is_string();
  const std::string whose = named ? where + " (\"" + name->get<std::string>() + "\")" : where;
  Label label;
  for (const auto& [key, value] : object.items())
    if (Status read = read_key(key, value, whose, label); !read) return read;
  if (!named) return invalid(where + " needs a key \"label\" that is a string, such as {\"label\": \"car\"}");
  return labels.add(name->get_ref<const std::string&>(), position, std::move(label));
}

Result<std::vector<Label>> parse_entries(std::string_view text) {
  const Result<json> root = parse_json(text);
  if (!root)
    return invalid("this is " + root.error().message +
                   "; the file is parsed as JSON because it starts with [ or {: fix it");
  const json& entries = *root;
  if (!entries.is_array())
    return invalid("the JSON must be an array of labels, such as [\"car\", {\"label\": \"dog\", \"threshold\": 0.3}]");
  Collector labels("entry");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const json& entry = entries[i];
    if (!entry.is_string() && !entry.is_object())
      return invalid("entry " + std::to_string(i + 1) + " is " + shown(entry) +
                     ": it must be a string or an object with the key \"label\"");
    Status added =
        entry.is_string() ? labels.add(entry.get_ref<const std::string&>(), i + 1) : add_object(labels, entry, i + 1);
    if (!added) return added.error();
  }
  return labels.take();
}

}  // namespace

Result<std::string> clean_label(std::string_view text) {
  std::string cleaned;
  bool gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto code_point = utf8::first(text.substr(at));
    if (!code_point)
      return invalid("the label is not valid UTF-8 (byte " + std::to_string(at + 1) +
                     " of it): save the text as UTF-8");
    if (utf8::is_space(code_point->value)) {
      gap = !cleaned.empty();
    } else {
      if (gap) cleaned += ' ';
      gap = false;
      cleaned += text.substr(at, code_point->bytes);
    }
    at += code_point->bytes;
  }
  if (cleaned.size() > kMaxLabelBytes)
    return invalid("the label has " + std::to_string(cleaned.size()) + " bytes, more than the " +
                   std::to_string(kMaxLabelBytes) + " allowed: put each label on its own line");
  return cleaned;
}

Result<std::vector<Label>> parse_labels(std::string_view text) {
  Collector labels("entry");
  std::string label;
  std::size_t entry = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
    if (!escape && (text[i] == ',' || text[i] == '\n')) {
      if (Status added = labels.add(label, entry++); !added) return added.error();
      label.clear();
    } else {
      label += text[escape ? ++i : i];
    }
  }
  if (Status added = labels.add(label, entry); !added) return added.error();
  return labels.take();
}

Result<std::vector<Label>> load_labels(const std::string& path) {
  const Result<std::string> bytes = read_file(path, kMaxLabelsFile);
  if (!bytes)
    return Error{bytes.error().code, bytes.error().message + " (labels-file names a file with one label per line)"};
  std::string_view text = *bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string_view::npos && (text[start] == '[' || text[start] == '{');
  Result<std::vector<Label>> labels = is_json ? parse_entries(text) : parse_lines(text);
  if (!labels) return Error{labels.error().code, path + ": " + labels.error().message};
  return labels;
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/section.hpp"

#include <algorithm>

#include "base/spelling.hpp"
#include "gst-bcp/run/plan/record_options.hpp"

namespace bcp::cli::run {

std::string suggestion(const std::string& wrong, std::span<const std::string> known) {
  if (const std::vector<std::size_t> near = similar(wrong, known, 1); !near.empty())
    return ": did you mean " + known[near.front()] + "?";
  std::string all;
  for (const std::string& key : known) all += (all.empty() ? "" : ", ") + key;
  return all.size() > 200 ? ": docs/configuration.md lists the keys" : ": the keys here are " + all;
}

Section::Section(const YAML::Node& node, std::string path, std::span<const std::string> known, Faults& faults)
    : path_(std::move(path)), mark_(node.IsDefined() ? node.Mark() : YAML::Mark::null_mark()), faults_(faults) {
  if (!node.IsDefined() || node.IsNull()) return;
  if (!node.IsMap()) {
    faults_.add(mark_, path_, "this is not a mapping: write \"key: value\" lines");
    return;
  }
  for (const auto& pair : node) {
    if (!pair.first.IsScalar()) {
      faults_.add(pair.first.Mark(), path_, "a key must be a word");
      continue;
    }
    const std::string key = pair.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      faults_.add(pair.first.Mark(), path_of(key), "unknown key" + suggestion(key, known));
    } else if (has(key)) {
      faults_.add(pair.first.Mark(), path_of(key), "this key is given twice: remove one of them");
    } else {
      entries_.push_back({key, pair.second, pair.first.Mark()});
    }
  }
}

YAML::Node Section::node_of(const std::string& key) const {
  for (const Entry& entry : entries_)
    if (entry.key == key) return entry.value;
  return YAML::Node(YAML::NodeType::Undefined);
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.key);
  return names;
}

void Section::fault(const std::string& key, const std::string& sentence) const {
  YAML::Mark mark = mark_;
  // A value that is missing has the place of what follows it.
  for (const Entry& entry : entries_)
    if (entry.key == key) mark = entry.value.IsNull() ? entry.mark : entry.value.Mark();
  faults_.add(mark, path_of(key), sentence);
}

std::optional<std::string> Section::text(const std::string& key) const {
  const YAML::Node node = node_of(key);
  if (!node.IsDefined()) return std::nullopt;
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  fault(key, node.IsScalar() || node.IsNull() ? "the value is missing: write one, or remove the key"
                                              : "this is not a text: write one value");
  return std::nullopt;
}

std::optional<bool> Section::boolean(const std::string& key) const {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  const std::string word = lower(*given);
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  fault(key, "\"" + *given + "\" is neither true nor false");
  return std::nullopt;
}

std::optional<double> Section::time(const std::string& key) const {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  const Result<double> seconds = parse_time_span(*given);
  if (seconds) return *seconds;
  fault(key, seconds.error().message);
  return std::nullopt;
}

std::optional<std::uint64_t> Section::size(const std::string& key) const {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  const Result<std::uint64_t> bytes = parse_size(*given);
  if (bytes) return *bytes;
  fault(key, bytes.error().message);
  return std::nullopt;
}

std::optional<std::vector<std::string>> Section::texts(const std::string& key) const {
  const YAML::Node node = node_of(key);
  if (!node.IsDefined()) return std::nullopt;
  if (!node.IsSequence()) {
    const std::optional<std::string> one = text(key);
    return one ? std::optional(std::vector{*one}) : std::nullopt;
  }
  std::vector<std::string> all;
  for (const YAML::Node& each : node) {
    if (each.IsScalar() && !each.Scalar().empty())
      all.push_back(each.Scalar());
    else
      faults_.add(each.Mark(), path_of(key), "an entry of this list is not a text");
  }
  if (node.size() == 0) fault(key, "the list is empty: write an entry, or remove the key");
  return all;
}

}  // namespace bcp::cli::run

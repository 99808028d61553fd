// SPDX-License-Identifier: LGPL-2.1-or-later
// One mapping of a file of cameras: its keys are read by type, and each fault is added to the list with its place.

#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gst-bcp/run/config/faults.hpp"

namespace bcp::cli::run {

class Section {
 public:
  // `node` may be undefined: every key is then missing. `path` is the key of the mapping in the file. A fault, if it is
  // not a mapping, has a key that is not in `known`, or a key twice.
  Section(const YAML::Node& node, std::string path, std::span<const std::string> known, Faults& faults);

  bool has(const std::string& key) const { return node_of(key).IsDefined(); }
  YAML::Node node_of(const std::string& key) const;
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  YAML::Mark mark() const { return mark_; }
  Faults& faults() const { return faults_; }
  std::vector<std::string> keys() const;

  // Adds a fault about the value of the key.
  void fault(const std::string& key, const std::string& sentence) const;

  // Unset: the key is missing, or its value is a fault.
  std::optional<std::string> text(const std::string& key) const;
  std::optional<bool> boolean(const std::string& key) const;
  // Seconds; also "90s", "10m", "2h", "7d".
  std::optional<double> time(const std::string& key) const;
  // Bytes; also "500M", "10G", in powers of 1000.
  std::optional<std::uint64_t> size(const std::string& key) const;
  // A list of texts, or one text.
  std::optional<std::vector<std::string>> texts(const std::string& key) const;

 private:
  struct Entry {
    std::string key;
    YAML::Node value;
    YAML::Mark mark;  // of the key
  };
  std::string path_;
  YAML::Mark mark_;
  Faults& faults_;
  std::vector<Entry> entries_;
};

// ": did you mean labels?" for a misspelling, else ": the keys here are …".
std::string suggestion(const std::string& wrong, std::span<const std::string> known);

}  // namespace bcp::cli::run

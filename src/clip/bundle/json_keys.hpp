// SPDX-License-Identifier: LGPL-2.1-or-later
// A JSON file read key by key, so that reading one looks like the list of its keys.
//
// The first thing wrong is remembered, and what is asked for after it gives a harmless value: the caller looks at
// error() once, at the end. Keys are written as a path: "image.size".

#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::clip {

class JsonKeys {
 public:
  // `help` ends every message: where the format is described, or what to do with a wrong file. `skipped` keys are left
  // out wherever they are (parse_json).
  static Result<JsonKeys> open(const std::string& path, std::string help,
                               const std::vector<std::string_view>& skipped = {});

  const std::string& path() const { return path_; }
  const std::optional<Error>& error() const { return error_; }

  // nullptr: not there. An empty key is the whole file.
  const nlohmann::json* find(const std::string& key) const;
  // There, and not null: many programs write null for what they leave open.
  bool has(const std::string& key) const;

  std::string text(const std::string& key, bool required);
  bool flag(const std::string& key);  // false where it is missing
  int whole(const std::string& key, int low, int high);
  double number(const std::string& key);
  double positive(const std::string& key);
  // A number from 0 to 1.
  double share(const std::string& key);
  // Each number must be above `above`.
  std::array<float, 3> three(const std::string& key, double above);
  // A list, empty where the key is missing.
  std::vector<float> numbers(const std::string& key, std::size_t most);
  std::vector<int> wholes(const std::string& key, std::size_t most);
  std::vector<std::string> texts(const std::string& key, std::size_t most);
  // A file of the directory: a name, or a path below it. Empty where it is missing and not required.
  std::string file(const std::string& key, bool required);

  void fail(const std::string& key, const std::string& expected, const nlohmann::json* found);
  // The same where a sentence says already what is wrong with the value.
  void refuse(const std::string& key, const std::string& why);

 private:
  JsonKeys(nlohmann::json root, std::string path, std::string help);

  nlohmann::json root_;
  std::string path_, help_;
  std::optional<Error> error_;
};

// Relative, and without "..".
bool stays_inside(const std::string& name);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads a JSON file key by key; the reading code looks like a list of keys.
//
// Keeps the first error; later reads return a harmless default. The caller checks error() once, at the end. Keys are
// paths: "image.size".

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
  // out at any level (parse_json).
  static Result<JsonKeys> open(const std::string& path, std::string help,
                               const std::vector<std::string_view>& skipped = {});

  const std::string& path() const { return path_; }
  const std::optional<Error>& error() const { return error_; }

  // nullptr if missing. An empty key is the whole file.
  const nlohmann::json* find(const std::string& key) const;
  // Present and not null: many programs write null for unset values.
  bool has(const std::string& key) const;

  std::string text(const std::string& key, bool required);
  bool flag(const std::string& key);  // false if missing
  int whole(const std::string& key, int low, int high);
  double number(const std::string& key);
  double positive(const std::string& key);
  // A number from 0 to 1.
  double share(const std::string& key);
  // Each number must be above `above`.
  std::array<float, 3> three(const std::string& key, double above);
  // A list; empty if the key is missing.
  std::vector<float> numbers(const std::string& key, std::size_t most);
  std::vector<int> wholes(const std::string& key, std::size_t most);
  std::vector<std::string> texts(const std::string& key, std::size_t most);
  // A file in the directory or below. Empty if the key is missing and not required.
  std::string file(const std::string& key, bool required);

  void fail(const std::string& key, const std::string& expected, const nlohmann::json* found);
  // The same with a complete sentence about the error.
  void refuse(const std::string& key, const std::string& why);

 private:
  JsonKeys(nlohmann::json root, std::string path, std::string help);

  nlohmann::json root_;
  std::string path_, help_;
  std::optional<Error> error_;
};

// The path is relative and without "..".
bool stays_inside(const std::string& name);

}  // namespace bcp::clip

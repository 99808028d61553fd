// SPDX-License-Identifier: LGPL-2.1-or-later
// Findings, collected once and shown as a table for people or as JSON for programs.

#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gst-bcp/common/table.hpp"

namespace bcp::cli {

class Report {
 public:
  // `key` is a path in the JSON ("image.size"), `label` and `text` are a row of the table. A second row with the same
  // label continues the first.
  void add(const std::string& key, nlohmann::ordered_json value, std::string label, std::string text);
  // As add(); the text of the row is the value.
  void add(const std::string& key, const std::string& value, std::string label) {
    add(key, value, std::move(label), value);
  }
  // Appends to the list at `key`.
  void append(const std::string& key, nlohmann::ordered_json value, std::string label, std::string text);

  void print_table(std::ostream& out) const;
  void print_json(std::ostream& out) const;

 private:
  void add_row(std::string label, std::string text);

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
  std::vector<Row> rows_;
  std::string last_label_;
};

}  // namespace bcp::cli

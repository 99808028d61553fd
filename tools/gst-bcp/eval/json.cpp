// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/json.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace bcp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kJsonVersion = 1;

Json json_of(double number, const eval::Column& column) {
  if (!std::isfinite(number)) return nullptr;
  if (column.digits == 0) return static_cast<std::int64_t>(std::llround(number));
  return number;
}

void put(Json& object, std::string key, Json value) {
  std::replace(key.begin(), key.end(), '.', '/');
  object[Json::json_pointer("/" + key)] = std::move(value);
}

Json numbers_of(const eval::Table& table, const eval::Line& line) {
  Json row = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    put(row, table.columns[i].key, json_of(line.numbers[i], table.columns[i]));
  return row;
}

Json matrix_of(const eval::Results& results) {
  const std::size_t labels = results.labels.size();
  Json rows = Json::array();
  for (std::size_t a = 0; a < labels; ++a) rows.push_back(std::span(results.conditional).subspan(a * labels, labels));
  return rows;
}

}  // namespace

Json rows_of(const eval::Table& table) {
  Json rows = Json::array();
  for (const eval::Line& line : table.lines) {
    Json row = {{table.line_key, line.name}};
    row.update(numbers_of(table, line));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(const eval::Results& results) {
  Json all = {{"version", kJsonVersion}, {"settings", results.settings}};
  for (const eval::Line& line : results.main.lines) all[line.name] = numbers_of(results.main, line);
  all["per_class"] = rows_of(results.per_class);
  all["protocols"] = Json::object();
  for (const eval::Table& table : results.protocols) {
    all["protocols"][table.key] = rows_of(table);
    if (!table.by_name) continue;
    for (const eval::Line& line : table.lines) all[table.key][line.name] = numbers_of(table, line);
  }
  for (const eval::Table& table : results.details) all[table.key] = rows_of(table);
  all["cooccurrence"] = {{"labels", results.labels}, {"conditional", matrix_of(results)}};
  all["warnings"] = results.warnings;
  return all;
}

std::string json_text(const eval::Results& results) {
  return json_of(results).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/paper/tables.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

extern "C" {
extern const char bcp_asset_paper_tables[], bcp_asset_paper_tables_end[];
}

namespace bcp::cli::paper {
namespace {

using Json = nlohmann::ordered_json;

Across across_of(const std::string& word) {
  if (word == "line") return Across::kLine;
  return word == "order" ? Across::kOrder : Across::kDataset;
}

Row row_of(const Json& json, const Table& table) {
  Row row;
  for (const std::string& key : table.keys) row.keys[key] = json.at(key).get<std::string>();
  for (const std::string& column : table.columns) {
    const auto figure = json.find(column);
    row.figures.push_back(figure != json.end() ? std::optional(figure->get<double>()) : std::nullopt);
  }
  return row;
}

Table table_of(const Json& json) {
  Table table;
  table.name = json.at("name").get<std::string>();
  table.title = json.at("title").get<std::string>();
  table.keys = json.at("keys").get<std::vector<std::string>>();
  table.columns = json.at("columns").get<std::vector<std::string>>();
  table.across = across_of(json.at("across").get<std::string>());
  table.protocol = json.value("protocol", "");
  table.line_key = json.value("line_key", "");
  table.line = json.value("line", "");
  table.backbone = json.value("backbone", "");
  table.dataset = json.value("dataset", "");
  table.notes = json.at("notes").get<std::vector<std::string>>();
  for (const Json& row : json.at("rows")) table.rows.push_back(row_of(row, table));
  return table;
}

// "RN50: VOC2007 89.40, NUSWIDE 48.20".
std::string figures_of(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    if (name == "backbone") continue;
    char number[32];
    std::snprintf(number, sizeof number, "%.2f", value.get<double>());
    text += (text.empty() ? json.at("backbone").get<std::string>() + ": " : ", ") + name + " " + number;
  }
  return text;
}

Paper read() {
  const Json json = Json::parse(bcp_asset_paper_tables, bcp_asset_paper_tables_end);
  Paper paper;
  paper.source = json.at("source").get<std::string>();
  paper.backbones = json.at("backbones").get<std::vector<std::string>>();
  paper.bcp_seconds = json.at("bcp_seconds").get<double>();
  for (const Json& each : json.at("datasets"))
    paper.datasets.push_back({each.at("name").get<std::string>(), each.at("images").get<std::size_t>(),
                              each.at("labels").get<std::size_t>()});
  for (const Json& each : json.at("tables")) paper.tables.push_back(table_of(each));
  for (const Json& each : json.at("not_live")) {
    NotLive method{each.at("method").get<std::string>(), each.at("why").get<std::string>(), {}, {}};
    if (each.contains("seconds")) method.seconds = each.at("seconds").get<double>();
    if (each.contains("figures")) method.figures = figures_of(each.at("figures"));
    paper.not_live.push_back(std::move(method));
  }
  return paper;
}

}  // namespace

const std::string& Row::key(const std::string& name, const std::string& otherwise) const {
  const auto found = keys.find(name);
  return found != keys.end() ? found->second : otherwise;
}

const Table* Paper::find(std::string_view name) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [name](const Table& table) { return table.name == name; });
  return found != tables.end() ? &*found : nullptr;
}

const Paper& the_paper() {
  static const Paper paper = read();
  return paper;
}

}  // namespace bcp::cli::paper

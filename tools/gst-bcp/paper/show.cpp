// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/paper/show.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "gst-bcp/common/table.hpp"

namespace bcp::cli::paper {
namespace {

std::string text_of(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string paper_cell(const Pair& pair) {
  return pair.paper ? text_of("%.2f", *pair.paper) : "";
}

// "86.70 (-0.23)": the figure, and how far it is from the paper's.
std::string here_cell(const Pair& pair) {
  if (!pair.here) return "";
  const std::string figure = text_of("%.2f", *pair.here);
  return pair.paper ? figure + " (" + text_of("%+.2f", *pair.here - *pair.paper) + ")" : figure;
}

// Whether a column can ever have a figure of one's own.
bool has_here(const Table& table, const std::string& column) {
  return table.across != Across::kOrder || column == kAverage;
}

// Without the blanks that empty cells at the end of a row would leave.
void print_text(std::ostream& out, std::vector<cli::Row> rows) {
  for (cli::Row& row : rows)
    while (row.size() > 1 && row.back().empty()) row.pop_back();
  print_table(out, rows);
}

void print_markdown(std::ostream& out, const std::vector<cli::Row>& rows, std::size_t names) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out << '|';
    for (const std::string& cell : rows[i]) out << ' ' << cell << (cell.empty() ? "|" : " |");
    out << '\n';
    if (i > 0) continue;
    out << '|';
    for (std::size_t column = 0; column < rows[0].size(); ++column) out << (column < names ? " --- |" : " ---: |");
    out << '\n';
  }
}

// Rows with the first key alike make a table of their own, under its name.
struct Section {
  std::string title;
  std::vector<cli::Row> rows;
};

std::vector<Section> sections_of(const Comparison& comparison) {
  const Table& table = *comparison.table;
  const bool is_split = table.keys.front() == "backbone";
  cli::Row heading;
  for (const std::string& key : table.keys)
    if (!is_split || key != table.keys.front()) heading.push_back(key);
  for (const std::string& column : table.columns) {
    heading.push_back(column);
    if (has_here(table, column)) heading.push_back("here");
  }
  std::vector<Section> sections;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const std::string title = is_split ? row.key(table.keys.front(), "") : "";
    if (sections.empty() || sections.back().title != title) sections.push_back({title, {heading}});
    cli::Row cells;
    for (const std::string& key : table.keys)
      if (!is_split || key != table.keys.front()) cells.push_back(row.key(key, ""));
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      cells.push_back(paper_cell(comparison.rows[i][column]));
      if (has_here(table, table.columns[column])) cells.push_back(here_cell(comparison.rows[i][column]));
    }
    sections.back().rows.push_back(std::move(cells));
  }
  return sections;
}

}  // namespace

void show(std::ostream& out, const Comparison& comparison, Form form) {
  const Table& table = *comparison.table;
  const bool is_markdown = form == Form::kMarkdown;
  if (!is_markdown) {
    out << table.title;
    for (const std::string& each : {table.dataset, table.backbone})
      if (!each.empty()) out << ", " << each;
    out << '\n';
  }
  for (const Section& section : sections_of(comparison)) {
    if (!is_markdown) out << '\n';
    if (!section.title.empty()) out << (is_markdown ? "**" : "") << section.title << (is_markdown ? "**\n\n" : "\n");
    const std::size_t names = table.keys.size() - (section.title.empty() ? 0 : 1);
    if (is_markdown)
      print_markdown(out, section.rows, names);
    else
      print_text(out, section.rows);
    if (is_markdown) out << '\n';
  }
  if (!is_markdown && !table.notes.empty()) out << '\n';
  for (const std::string& note : table.notes) out << note << '\n';
}

void show_not_live(std::ostream& out, Form form) {
  const Paper& paper = the_paper();
  std::vector<cli::Row> rows = {{"method", "seconds a picture", "why it is not for live video"}};
  for (const NotLive& method : paper.not_live)
    rows.push_back({method.method, method.seconds ? text_of("%.2f", *method.seconds) : "",
                    method.why + (method.figures.empty() ? "" : " (" + method.figures + ")")});
  if (form == Form::kMarkdown)
    print_markdown(out, rows, rows[0].size());
  else
    print_table(out, rows);
  out << (form == Form::kMarkdown ? "\n" : "") << "Seconds are the paper's, on COCO2014 with RN50, where BCP took "
      << text_of("%.3f", paper.bcp_seconds) << "; it does not say on what machine.\n";
}

}  // namespace bcp::cli::paper

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "gst-bcp/common/table.hpp"
#include "gst-bcp/eval/options.hpp"

namespace bcp::cli {
namespace {

using eval::Line;
using eval::Ranking;
using eval::Results;
using eval::Table;

constexpr std::size_t kAllClasses = 12;  // up to this many labels are listed one by one
constexpr std::size_t kSomeClasses = 5;  // of more labels, this many of the first and of the last

std::string text_of(const char* format, int digits, double number) {
  if (!std::isfinite(number)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, format, digits, number);
  return text;
}

std::string plain(double number, int digits = 2) {
  return text_of("%.*f", digits, number);
}

std::string gain(double number) {
  constexpr double kNothing = 0.005;  // would be +0.00, or even -0.00
  return std::abs(number) < kNothing ? "0.00" : text_of("%+.*f", 2, number);
}

Ranking other(Ranking ranking) {
  return ranking == Ranking::kLogits ? Ranking::kSoftmax : Ranking::kLogits;
}

// Text, wrapped between words.
void print_text(std::ostream& out, const std::string& text, const TerminalStyle& style) {
  std::istringstream words(printable(text));
  std::size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > style.width) {
      out << '\n';
      column = 0;
    }
    if (column > 0) {
      out << ' ';
      ++column;
    }
    out << word;
  }
  out << '\n';
}

// The names of methods: the tables have their keys.
std::string title_of(const Results& results, const std::string& key) {
  for (const auto& method : results.settings.value("methods", nlohmann::ordered_json::array()))
    if (method["key"] == key) return method["title"];
  return key;
}

// Of the method in line `at` of the main table.
double main_figure(const Results& results, std::size_t at, Ranking ranking) {
  return results.main.lines[at].numbers[static_cast<std::size_t>(ranking)];
}

void print_main(std::ostream& out, const Results& results, const TerminalStyle& style) {
  std::vector<Row> rows = {{"mAP, %", name_of(style.first), "", name_of(other(style.first)), ""}};
  for (std::size_t at = 0; at < results.main.lines.size(); ++at) {
    Row row = {title_of(results, results.main.lines[at].name)};
    for (const Ranking ranking : {style.first, other(style.first)}) {
      const double figure = main_figure(results, at, ranking);
      row.push_back(plain(figure));
      row.push_back(at == 0 ? "" : gain(figure - main_figure(results, 0, ranking)));
    }
    rows.push_back(std::move(row));
  }
  print_numbers(out, rows);
}

// Which ranking is better for the model, and the best result.
void print_verdict(std::ostream& out, const Results& results, const TerminalStyle& style) {
  if (results.per_class.lines.size() < 2) return;  // the softmax of one label ranks nothing
  const double logits = main_figure(results, 0, Ranking::kLogits), softmax = main_figure(results, 0, Ranking::kSoftmax);
  const Ranking better = softmax > logits ? Ranking::kSoftmax : Ranking::kLogits;
  std::size_t best = 0;
  Ranking by = better;
  for (std::size_t at = 0; at < results.main.lines.size(); ++at)
    for (const Ranking ranking : eval::kRankings)
      if (main_figure(results, at, ranking) > main_figure(results, best, by)) best = at, by = ranking;
  std::string text = "Logits and softmax rank equally well with this model";
  if (plain(logits) != plain(softmax))
    text = std::string("This model ranks better by ") + name_of(better) + ": " + plain(std::max(logits, softmax)) +
           " against " + plain(std::min(logits, softmax)) + " by " + name_of(other(better)) + " with plain CLIP";
  text += "; the best result is " + title_of(results, results.main.lines[best].name) + " by " + name_of(by) + ", " +
          plain(main_figure(results, best, by)) + ".";
  print_text(out, text, style);
}

// The columns of a table: those that are about samples, and those of each ranking.
struct Columns {
  std::vector<std::size_t> common, logits, softmax;

  explicit Columns(const Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& key = table.columns[i].key;
      (key.ends_with(".logits") ? logits : key.ends_with(".softmax") ? softmax : common).push_back(i);
    }
  }
  const std::vector<std::size_t>& of(Ranking ranking) const { return ranking == Ranking::kLogits ? logits : softmax; }
};

// "BCP (paper), logits" without the heading above it.
std::string short_title(const eval::Column& column) {
  const std::size_t comma = column.title.rfind(", ");
  const bool ranked = column.key.ends_with(".logits") || column.key.ends_with(".softmax");
  return ranked && comma != std::string::npos ? column.title.substr(0, comma) : column.title;
}

std::vector<Row> rows_of(const Results& results, const Table& table, const std::vector<std::size_t>& columns) {
  std::vector<Row> rows(1, {table.line_title});
  for (const std::size_t i : columns) rows[0].push_back(short_title(table.columns[i]));
  for (const Line& line : table.lines) {
    Row row = {table.line_key == "method" ? title_of(results, line.name) : line.name};
    for (const std::size_t i : columns) row.push_back(plain(line.numbers[i], table.columns[i].digits));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::size_t> joined(std::vector<std::size_t> left, const std::vector<std::size_t>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// One table, with the ranking above the methods.
std::vector<Row> rows_of_both(const Results& results, const Table& table, const TerminalStyle& style) {
  const Columns columns(table);
  const std::vector<std::size_t> first = joined(columns.common, columns.of(style.first));
  std::vector<Row> rows = rows_of(results, table, joined(first, columns.of(other(style.first))));
  Row above(rows[0].size());
  above[1 + columns.common.size()] = std::string("by ") + name_of(style.first);
  above[1 + first.size()] = std::string("by ") + name_of(other(style.first));
  rows.insert(rows.begin(), above);
  return rows;
}

// One ranking after the other; common columns go before them if they do not fit next to the first.
void print_one_by_one(std::ostream& out, const Results& results, const Table& table, const TerminalStyle& style) {
  const Columns columns(table);
  std::vector<Row> first = rows_of(results, table, joined(columns.common, columns.of(style.first)));
  if (numbers_width(first) > style.width && !columns.common.empty()) {
    print_numbers(out, rows_of(results, table, columns.common));
    first = rows_of(results, table, columns.of(style.first));
  }
  out << "by " << name_of(style.first) << '\n';
  print_numbers(out, first);
  out << "by " << name_of(other(style.first)) << '\n';
  print_numbers(out, rows_of(results, table, columns.of(other(style.first))));
}

void print_protocol(std::ostream& out, const Results& results, const Table& table, const TerminalStyle& style) {
  out << '\n' << printable(table.title) << '\n';
  if (Columns(table).logits.empty())
    print_numbers(out, rows_of(results, table, Columns(table).common));
  else if (const std::vector<Row> both = rows_of_both(results, table, style); numbers_width(both) <= style.width)
    print_numbers(out, both);
  else
    print_one_by_one(out, results, table, style);
  if (!table.note.empty()) print_text(out, table.note, style);
}

// The effect of the first correction on single labels.
void print_classes(std::ostream& out, const Results& results, const TerminalStyle& style) {
  if (results.main.lines.size() < 2) return;
  const Table& table = results.per_class;
  const std::vector<std::size_t> columns = Columns(table).of(style.first);
  const auto gained = [&](const Line& line) { return line.numbers[columns[1]] - line.numbers[columns[0]]; };
  std::vector<Line> lines;
  for (const Line& line : table.lines)
    if (std::isfinite(gained(line))) lines.push_back(line);
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& x, const Line& y) { return gained(x) > gained(y); });
  const bool all = lines.size() <= kAllClasses;
  std::vector<Row> rows = {
      {"label", "positives", short_title(table.columns[columns[0]]), short_title(table.columns[columns[1]]), "gain"}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!all && i == kSomeClasses) rows.push_back({"...", "", "", "", ""});
    if (!all && i >= kSomeClasses && i + kSomeClasses < lines.size()) continue;
    const Line& line = lines[i];
    rows.push_back({line.name, plain(line.numbers[0], 0), plain(line.numbers[columns[0]]),
                    plain(line.numbers[columns[1]]), gain(gained(line))});
  }
  out << "\nAP by " << name_of(style.first) << ", " << (all ? "by gain" : "of the labels that gain most, and least")
      << '\n';
  print_numbers(out, rows);
}

}  // namespace

std::size_t terminal_columns() {
  constexpr std::size_t kPage = 100;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kPage;
}

void print_results(std::ostream& out, const Results& results, const TerminalStyle& style) {
  print_main(out, results, style);
  out << '\n';
  print_verdict(out, results, style);
  // Each on one line: they name files, which are searched for and copied.
  for (const std::string& warning : results.warnings) out << "note: " << printable(warning) << '\n';
  print_classes(out, results, style);
  for (const Table& table : results.protocols) print_protocol(out, results, table, style);
  for (const Table& table : results.details) print_protocol(out, results, table, style);
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// The paper's tables, as printed there: facts of tables.json, which is part of the program.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli::paper {

// What the columns of a table are.
enum class Across {
  kDataset,  // data sets, and their average
  kLine,     // lines of a protocol: numbers of labels, say
  kOrder,    // orders of one data set, and their average
};

inline constexpr std::string_view kAverage = "Average";
inline constexpr std::string_view kShare = "share, %";  // in place of a method: how many of the pictures a line has

struct Row {
  std::map<std::string, std::string> keys;     // "backbone": "RN50", "method": "BCP", ...
  std::vector<std::optional<double>> figures;  // one for each column

  // The key, or `otherwise` for a row that has none.
  const std::string& key(const std::string& name, const std::string& otherwise) const;
};

struct Table {
  std::string name;  // as it is asked for
  std::string title;
  std::vector<std::string> keys, columns;
  Across across = Across::kDataset;
  std::string protocol;            // where an evaluation has its figures; empty: its main table
  std::string line_key;            // the key of a row that names a line of that protocol, or
  std::string line;                // the line that all rows are about; both empty where columns are lines
  std::string backbone, dataset;   // of rows that name none
  std::vector<std::string> notes;  // a sentence or two each
  std::vector<Row> rows;
};

struct Dataset {
  std::string name;
  std::size_t images = 0, labels = 0;
};

// A method that cannot run on live video, and why.
struct NotLive {
  std::string method, why;
  std::optional<double> seconds;  // for a picture, as the paper measured
  std::string figures;            // those it has outside of the main table; mostly empty
};

struct Paper {
  std::string source;
  std::vector<Dataset> datasets;
  std::vector<std::string> backbones;
  std::vector<Table> tables;
  std::vector<NotLive> not_live;
  double bcp_seconds = 0;

  const Table* find(std::string_view name) const;
};

const Paper& the_paper();

}  // namespace bcp::cli::paper

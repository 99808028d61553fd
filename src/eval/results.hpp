// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The results of an evaluation: tables of numbers, which others show on a terminal, as JSON, as CSV and on a page.
// Independent of how they are shown.

#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bcp::eval {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // no number, JSON's null

struct Column {
  std::string key;    // the path of its numbers in a row's JSON: "bcp.logits" is {"bcp":{"logits":...}}
  std::string title;  // for people: "BCP, logits"
  int digits = 2;     // after the point
};

struct Line {
  std::string name;             // "0.5", "head", "aeroplane"
  std::vector<double> numbers;  // one for each column
};

struct Table {
  std::string key;         // "anchor_confidence"; its place in the JSON: protocols.KEY, a list of rows
  std::string title;       // for people
  std::string line_key;    // the key of a line's name in JSON, and
  std::string line_title;  // for people
  std::vector<Column> columns;
  std::vector<Line> lines;
  std::string note;      // a sentence below it; may be empty
  bool by_name = false;  // in JSON also an object of lines by name, at the top level
};

struct Results {
  nlohmann::ordered_json settings;  // everything needed to repeat it
  Table main;                       // one line per method: zero_shot, bcp, bcp_video, ...: columns logits and softmax
  Table per_class;                  // one line per label
  std::vector<Table> protocols;     // the selected ones
  std::vector<Table> details;       // more about a protocol; at the top level of the JSON, as a list of rows
  // P(b|a) after the whole stream: row a, column b, diagonal 0. Empty if there are too many labels.
  std::vector<std::string> labels;
  std::vector<double> conditional;
  std::vector<std::string> warnings;  // for the reader: labels without positives, pictures left out
};

}  // namespace bcp::eval

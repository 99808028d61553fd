// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an evaluation found: tables of numbers, each told once, and shown on a terminal, as JSON, as CSV and on a page
// by whoever wants to. Nothing here knows how it is shown.

#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bcp::eval {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // no number, JSON's null

struct Column {
  std::string key;    // where its numbers go in a row's JSON: "bcp.logits" is {"bcp":{"logits":...}}
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
  std::string line_key;    // what the name of a line is called in JSON, and
  std::string line_title;  // for people
  std::vector<Column> columns;
  std::vector<Line> lines;
  std::string note;      // a sentence under it; may be empty
  bool by_name = false;  // in JSON also an object of lines by name, at the top level
};

struct Results {
  nlohmann::ordered_json settings;  // all that is needed to do it again
  Table main;                       // one line a method: zero_shot, bcp, bcp_video, ...: columns logits and softmax
  Table per_class;                  // one line a label
  std::vector<Table> protocols;     // those that were asked for
  std::vector<Table> details;       // more about a protocol; at the top level of the JSON, as a list of rows
  // P(b|a) after the whole stream: row a, column b, diagonal 0. Empty where there are too many labels to look at.
  std::vector<std::string> labels;
  std::vector<double> conditional;
  std::vector<std::string> warnings;  // what a reader must know: labels without positives, pictures left out
};

}  // namespace bcp::eval

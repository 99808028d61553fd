// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A data set of labelled pictures, read from its unpacked archives: the pictures, their order, and the ground truth.
// The pictures themselves are not opened here.
//
// README.md describes the layout, the split and the spelling of labels of each data set.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

struct Dataset {
  std::string name;                 // "voc2007"
  std::vector<std::string> labels;  // as used in prompts
  // Picture i is the file path(i). Names and order are those of the data set's list.
  std::string folder, ending;
  std::vector<std::string> pictures;
  Truth truth;                     // rows are pictures, columns labels
  std::vector<std::string> notes;  // sentences for the reader of the results

  std::string path(std::size_t picture) const { return folder + "/" + pictures[picture] + ending; }
  // Keeps these pictures, in this order, with their ground truth.
  void keep(std::span<const std::size_t> rows);
};

struct DatasetRequest {
  std::string name, root;
  std::string list;       // a file with one picture name per line: takes only these; empty: the whole split
  std::size_t limit = 0;  // the first `limit` pictures; 0: all
};

// A missing part of a data set.
struct Absent {
  std::string path;    // inside the folder
  std::string what;    // what it is
  std::string source;  // its archive
};

// Missing pictures are left out and counted in the notes; if all are missing, that is an error. Missing required files
// are an error too, and `absent` lists all of them.
Result<Dataset> open_dataset(const DatasetRequest& request, std::vector<Absent>& absent);

// The first few of many names, for a sentence: "a, b, c and 40 more".
std::string some_of(std::span<const std::string> names);

// All names, in the order shown to users.
std::span<const std::string_view> dataset_names();

}  // namespace bcp::eval

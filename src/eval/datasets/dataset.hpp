// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A data set of labelled pictures, read from the folder its archives were unpacked to: which pictures, in which order,
// and what is true of them. The pictures themselves are not opened here.
//
// What each of them looks like on disk, which split is taken and how labels are spelt is told in README.md.

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
  std::vector<std::string> labels;  // as they are put into prompts
  // Picture i is the file path(i). Names are those of the data set's own list, in its order.
  std::string folder, ending;
  std::vector<std::string> pictures;
  Truth truth;                     // row for row, pictures and labels
  std::vector<std::string> notes;  // sentences a reader of results must know

  std::string path(std::size_t picture) const { return folder + "/" + pictures[picture] + ending; }
  // Keeps these pictures, in this order, and what is true of them.
  void keep(std::span<const std::size_t> rows);
};

struct DatasetRequest {
  std::string name, root;
  std::string list;       // a file with a picture's name a line: only these are taken; empty: all of the split
  std::size_t limit = 0;  // the first so many; 0: all
};

// Something a data set consists of that its folder lacks.
struct Absent {
  std::string path;    // inside the folder
  std::string what;    // what it is
  std::string source;  // what it comes in
};

// Pictures that are not there are left out, counted in the notes; none at all is an error. Where the folder lacks what
// the data set cannot do without, that is an error too, and `absent` is the whole list of it.
Result<Dataset> open_dataset(const DatasetRequest& request, std::vector<Absent>& absent);

// The first few of names that may be thousands, for a sentence: "a, b, c and 40 more".
std::string some_of(std::span<const std::string> names);

// What `name` may be, in the order they are listed to people.
std::span<const std::string_view> dataset_names();

}  // namespace bcp::eval

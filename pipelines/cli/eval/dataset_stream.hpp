// SPDX-License-Identifier: LGPL-2.1-or-later
// A data set of pictures as `gst-bcp eval` wants it: what a model says about them, and what is true.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "eval/dataset_options.hpp"
#include "eval/stream.hpp"

namespace bcp::cli {

struct DatasetStream {
  eval::Stream stream;
  eval::Truth truth;
  std::vector<std::string> names;     // of the labels, as they were put into prompts
  std::vector<std::string> warnings;  // what a reader of results must know
  std::string model;                  // its name
  nlohmann::ordered_json settings;    // what else is needed to do it again
};

// Reads the data set, encodes its labels and those of its pictures that are not in the cache yet. Progress goes to
// standard error, and so does the list of what the root lacks, when that is why it fails.
Result<DatasetStream> open_dataset(const DatasetOptions& options);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// A report: one self-contained HTML file about a stream's labels, and what the correction changed.

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli {

struct PageRequest {
  std::string results;               // JSON lines, as bcppublish writes them
  bool keeps_results = true;         // false: `results` is removed after the page is written, so its name is not shown
  std::string page;                  // the HTML file to write, atomically
  std::string prior;                 // what was learnt (adapt/snapshot.hpp); empty: no heat map
  std::string video;                 // a file or URI to take thumbnails from; empty: none
  std::string title;                 // empty: the name of `results`
  nlohmann::ordered_json settings;   // what to show under "settings to reproduce"; null: not known
  std::vector<std::string> command;  // the command line that reproduces it; empty: not known
  std::stop_token stop;              // cancels the page while it is made
};

struct PageSummary {
  std::size_t results = 0;                // lines understood
  std::size_t skipped = 0;                // lines that were not understood
  std::vector<std::string> first_faults;  // "results.jsonl:17: not JSON", at most a handful
  std::vector<std::string> remarks;       // what is missing in the page, one sentence each, such as thumbnails
};

// An invalid line is skipped, counted and listed; a file without any result is an error. Overwrites `page`: the caller
// checks whether that is allowed. A cancelled page is an error too, and writes no file.
Result<PageSummary> write_page(const PageRequest& request);

}  // namespace bcp::cli

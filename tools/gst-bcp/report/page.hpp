// SPDX-License-Identifier: LGPL-2.1-or-later
// A report: one self-contained HTML file about what a stream's labels were, and what the correction did to them.

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
  bool keeps_results = true;         // false: `results` goes once the page is there, so its name tells nobody anything
  std::string page;                  // the HTML file to write, in one step
  std::string prior;                 // what was learnt (adapt/snapshot.hpp); empty: no heat map
  std::string video;                 // a file or URI to take thumbnails from; empty: none
  std::string title;                 // empty: the name of `results`
  nlohmann::ordered_json settings;   // what to show under "settings to reproduce"; null: not known
  std::vector<std::string> command;  // the command line that reproduces it; empty: not known
  std::stop_token stop;              // to give the page up while it is made
};

struct PageSummary {
  std::size_t results = 0;                // lines understood
  std::size_t skipped = 0;                // lines that were not
  std::vector<std::string> first_faults;  // "results.jsonl:17: not JSON", at most a handful
  std::vector<std::string> remarks;       // what the page had to do without, a sentence each: thumbnails, say
};

// A broken line is skipped, counted and named; a file without a single result is an error. Overwrites `page`: whether
// it may is the caller's question. A page that is given up is an error too, and leaves nothing behind.
Result<PageSummary> write_page(const PageRequest& request);

}  // namespace bcp::cli

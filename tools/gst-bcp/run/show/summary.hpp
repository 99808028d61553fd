// SPDX-License-Identifier: LGPL-2.1-or-later
// What is told of jobs: a line while they run, a line when they end, and what was seen in all.

#pragma once

#include <string>
#include <vector>

#include "gst-bcp/common/progress.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/pipeline/tally.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// "[2/5] name", counted from 1.
std::string numbered(std::size_t index, std::size_t total, const std::string& name);

// How far a job is and what it sees.
JobLine job_line(const Job& job, const std::vector<ShownLabel>& labels);

class Summary {
 public:
  Summary(const Request& request, std::size_t jobs, Progress& progress);
  // A job that has ended well.
  void add(Job& job);
  // A file that has got its name.
  void add_file(const std::string& path) { files_.push_back(path); }
  // What was seen, and which files were made.
  void print();

 private:
  const Request& request_;
  const std::size_t jobs_;
  Progress& progress_;
  Tally tally_;
  bool pictures_ = false;
  std::vector<std::string> files_;  // that were written
};

}  // namespace bcp::cli::run

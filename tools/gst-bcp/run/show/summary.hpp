// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts about jobs: a line while they run, a line when they end, and a summary.

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

// The progress of a job and its labels.
JobLine job_line(const Job& job, const std::vector<ShownLabel>& labels);

class Summary {
 public:
  Summary(const Request& request, std::size_t jobs, Progress& progress);
  // A job that succeeded.
  void add(Job& job);
  // A file that is complete.
  void add_file(const std::string& path) { files_.push_back(path); }
  // The labels, and the files that were written.
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

// SPDX-License-Identifier: LGPL-2.1-or-later
// The file that the results of all jobs go to, one job after the other.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "run/outputs.hpp"

namespace bcp::cli::run {

class ResultsFile {
 public:
  // `path` may be "-", or empty for none. `open_ended`: the file is written under its own name, because there is no end
  // to wait for; it is made of whole lines at any time.
  static Result<ResultsFile> claim(const std::string& path, bool open_ended, const OutputFile::Rules& rules);

  bool wanted() const { return !location_.empty(); }
  // Where the next job is to write, and whether something is there already.
  const std::string& location() const { return location_; }
  bool append() const { return jobs_ > 0; }

  void begin_job();
  // Of a job that failed nothing is kept.
  void end_job(bool keep);
  // Gives the file its name, if any job was kept.
  Status commit();

 private:
  std::string location_;
  OutputFile file_;
  std::size_t jobs_ = 0, kept_ = 0;
  std::uintmax_t size_before_ = 0;
};

}  // namespace bcp::cli::run

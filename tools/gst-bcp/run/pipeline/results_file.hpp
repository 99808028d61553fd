// SPDX-License-Identifier: LGPL-2.1-or-later
// The results of all jobs: a file, or standard output. Belongs to the main thread.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/run/pipeline/line_collector.hpp"
#include "gst-bcp/run/plan/outputs.hpp"

namespace bcp::cli::run {

class ResultsFile {
 public:
  enum class Use {
    kInTurn,     // one job after the other; the file gets its name when all are done
    kOpenEnded,  // one job without an end: has its name from the start, whole lines at any time
    kShared,     // several jobs at once, else as kOpenEnded
    kContinued,  // as kShared; what earlier runs wrote stays, unless the rules say that it is replaced
  };
  // Where a job's bcppublish is to write.
  struct Place {
    std::string location;
    bool append = false;
  };

  // `path` may be "-", or empty for none.
  static Result<ResultsFile> claim(const std::string& path, Use use, const OutputFile::Rules& rules);

  bool wanted() const { return !path_.empty(); }
  // Each job has a number of its own.
  Result<Place> begin_job(std::size_t job);
  // With kInTurn, the results of a failed job are removed.
  void end_job(std::size_t job, bool keep);
  // With kShared: why results were lost, as one sentence, on the first call; else empty.
  std::string take_fault() { return sink_ ? sink_->take_fault() : std::string(); }
  // Whether there is a file with results of at least one job, once it is committed.
  bool is_kept() const { return kept_ > 0 && !path_.empty() && path_ != "-"; }
  // Gives the file its name, if it has results of any job.
  Status commit();

 private:
  std::string path_;
  Use use_ = Use::kInTurn;
  OutputFile file_;                                              // in turn
  OutputFile claim_;                                             // else: keeps other runs from the name, never written
  std::shared_ptr<LineSink> sink_;                               // shared
  std::map<std::size_t, std::unique_ptr<LineCollector>> lanes_;  // shared, by job
  std::size_t begun_ = 0, kept_ = 0;
  std::uintmax_t size_before_ = 0;
};

}  // namespace bcp::cli::run

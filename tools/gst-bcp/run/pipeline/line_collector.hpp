// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines from several writers into one file. A file belongs to one bcppublish at a time, so each of several pipelines
// writes to its own pipe, from which whole lines are copied.
//
// Each pipe has its own reading thread, so that no pipeline waits for a busy main loop.

#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.hpp"

namespace bcp::cli::run {

// Where the lines go: a file, or "-". Any thread.
class LineSink {
 public:
  enum class Existing { kReplaced, kContinued };
  // kContinued: a file keeps its whole lines; a last line that a killed run left incomplete is removed.
  static Result<std::shared_ptr<LineSink>> open(const std::string& path, Existing existing);
  ~LineSink();
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  // Writes whole lines. Lines that cannot be written (a full disk, a closed pipe) are dropped: the cameras keep
  // running. A file keeps whole lines only, and gets lines again when there is space.
  void write(std::string_view lines);
  // Why lines were dropped, as one sentence, on the first call; empty: no lines were dropped, or not the first call.
  std::string take_fault();

 private:
  LineSink(std::string path, int fd);

  const std::string path_;
  const int fd_;
  std::mutex mutex_;
  bool is_file_ = false;
  std::string fault_;  // the first
  bool failed_ = false;
};

// The pipe of one writer to the sink.
class LineCollector {
 public:
  static Result<std::unique_ptr<LineCollector>> open(std::shared_ptr<LineSink> sink);
  // What the writer opens.
  const std::string& location() const { return location_; }
  // REQUIRES: the writer has closed the pipe. Returns when its remaining lines are written.
  ~LineCollector();
  LineCollector(const LineCollector&) = delete;
  LineCollector& operator=(const LineCollector&) = delete;

 private:
  LineCollector(std::shared_ptr<LineSink> sink, int read_end, int write_end);
  void read_all();

  const std::shared_ptr<LineSink> sink_;
  const int read_end_, write_end_;
  std::string location_;
  std::thread thread_;  // last: it uses the above
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines from several writers into one file. A file belongs to one bcppublish at a time, so each of several pipelines
// writes to a pipe of its own, and whole lines go on from there. Belongs to the main thread; its main loop reads.

#pragma once

#include <glib.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace bcp::cli::run {

// Where the lines go: a file, which is emptied, or "-".
class LineSink {
 public:
  static Result<std::shared_ptr<LineSink>> open(const std::string& path);
  ~LineSink();
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  void write(std::string_view lines);

 private:
  explicit LineSink(int fd) : fd_(fd) {}
  int fd_;
};

// One writer's way there.
class LineCollector {
 public:
  static Result<std::unique_ptr<LineCollector>> open(std::shared_ptr<LineSink> sink);
  // What the writer opens.
  const std::string& location() const { return location_; }
  // REQUIRES: the writer is gone. Takes what it has left.
  ~LineCollector();
  LineCollector(const LineCollector&) = delete;
  LineCollector& operator=(const LineCollector&) = delete;

 private:
  LineCollector(std::shared_ptr<LineSink> sink, int read_end, int write_end);
  void take();

  std::shared_ptr<LineSink> sink_;
  int read_end_, write_end_;
  std::string location_;
  std::string rest_;  // the beginning of a line
  guint watch_ = 0;
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes whole lines to a file, a FIFO, a device or standard output.
//
// Readers see only whole lines, with one exception: if a pipe fails in the middle of a line, the next line starts after
// a newline. A regular file is truncated to its last whole line instead; standard output is not, because other programs
// may write to it.
//
// One writer per file: a second one is refused, in this process by a table and across processes by flock(2). Standard
// output is guarded only within the process (its lock belongs to the process that opened it). Devices that store
// nothing (/dev/null) are not guarded.
//
// Thread safety: one thread writes; cancel() and resume() may be called from any.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp {

class LineWriter {
 public:
  enum class Start { kTruncate, kAppend };

  // Opens `location` ("-" for standard output) and creates the file if necessary. `owner` is named in the error of a
  // second writer. Does not wait: a FIFO without a reader is an error.
  static Result<std::unique_ptr<LineWriter>> open(const std::string& location, Start start, std::string owner);

  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  ~LineWriter();

  // Writes `line` (without newlines) and a newline, unbuffered. Waits while a pipe is full. After an error the line is
  // lost, but the writer stays usable: the next write tries again. A closed pipe is an error, never a signal.
  Status write(std::string_view line);

  // From now on, a write() to a full pipe fails instead of waiting. Also ends a wait that has begun.
  void cancel();
  // Undoes cancel().
  void resume();

 private:
  class Claim;

  LineWriter(std::string location, int fd, int wake, bool regular, bool ours, std::unique_ptr<Claim> claim);
  int put(std::string_view bytes, std::size_t& written);
  int wait();

  const std::string location_;
  const int fd_;
  const int wake_;  // an eventfd: readable after cancel()
  const bool regular_;
  const bool ours_;  // opened here; false for standard output
  const std::unique_ptr<Claim> claim_;
  bool cut_ = false;    // the file ends inside a line
  std::string buffer_;  // reused: a line and its newline
};

}  // namespace bcp

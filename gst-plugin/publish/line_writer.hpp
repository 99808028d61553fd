// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole lines to a file, a FIFO, a device or standard output.
//
// A reader never sees half a line, but for one case it cannot be spared: a pipe that failed in the middle of a line;
// then the next line starts on a line of its own. A regular file is cut back to its last whole line instead (standard
// output is not, wherever it leads: it is not ours to cut).
//
// One writer per file: a second one is refused, in this process by a table and across processes by flock(2). Standard
// output is only guarded within the process (its lock belongs to whoever opened it), and devices that keep nothing
// (/dev/null) not at all.
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

  // Opens `location`, "-" for standard output, and creates the file if there is none. `owner` names the writer to
  // those it keeps out. Never waits: a FIFO that nobody reads is an error.
  static Result<std::unique_ptr<LineWriter>> open(const std::string& location, Start start, std::string owner);

  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  ~LineWriter();

  // Writes `line`, which contains no newline, and a newline; nothing is left in a buffer. Waits while a pipe is full.
  // After an error the line is lost and the writer stays usable: the next write tries again. A closed pipe is such an
  // error, never a signal.
  Status write(std::string_view line);

  // From now on a write() that would wait for a full pipe ends with an error instead, also one that waits already.
  void cancel();
  // Takes cancel() back.
  void resume();

 private:
  class Claim;

  LineWriter(std::string location, int fd, int wake, bool regular, bool ours, std::unique_ptr<Claim> claim);
  int put(std::string_view bytes, std::size_t& written);
  int wait();

  const std::string location_;
  const int fd_;
  const int wake_;  // an eventfd: readable once cancelled
  const bool regular_;
  const bool ours_;  // opened by us; else standard output
  const std::unique_ptr<Claim> claim_;
  bool cut_ = false;    // the file ends inside a line
  std::string buffer_;  // reused: a line and its newline
};

}  // namespace bcp

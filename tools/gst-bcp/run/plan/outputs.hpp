// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that are being made: under a name of their own until they are whole.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/file_lock.hpp"

namespace bcp::cli::run {

// A file to be made. Whoever writes it writes to part(), a hidden file beside it; commit() gives it its name. If it is
// dropped before that, nothing is left behind. One thread at a time.
class OutputFile {
 public:
  struct Rules {
    bool force = false;               // an existing file may be replaced
    std::vector<std::string> inputs;  // files it must not be
    bool make_folder = false;         // create its folder where there is none; removed again if nothing comes into it
  };
  // Whether a file may be made there, as far as it can be told without making one.
  static Status check(const std::string& path, const Rules& rules);
  // Takes the place, against other processes too: an error if a file is there and may not be replaced, if it is an
  // input, if another claim on it lives, or if its folder is missing or refuses to be written to.
  static Result<OutputFile> claim(const std::string& path, const Rules& rules);

  OutputFile() = default;
  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile() { discard(); }

  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Where to write. A device or a FIFO is its own part.
  const std::string& part() const { return part_; }
  // Another hidden name beside it, for what has to be put aside while it is made; removed with the part.
  std::string aside(const std::string& ending);

  Status commit();
  void discard();

 private:
  void forget();

  std::string path_, part_;
  std::vector<std::string> asides_;
  FileLock lock_;
};

// Removes every part there is, from any thread: for a program that has to end at once.
void discard_all_parts();

}  // namespace bcp::cli::run

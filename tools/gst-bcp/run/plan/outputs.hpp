// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that are being written: under a temporary name until they are complete.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/file_lock.hpp"

namespace bcp::cli::run {

// A file to be written. The writer writes to part(), a hidden file in the same folder; commit() gives it its name. If
// the object is destroyed before that, no file remains, except with Rules::keep_parts. One thread at a time.
class OutputFile {
 public:
  struct Rules {
    bool force = false;               // an existing file may be replaced
    std::vector<std::string> inputs;  // files it must not be
    bool make_folder = false;         // create its folder if missing; removed again if it stays empty
    bool keep_parts = false;          // a video whose part can be played: what is whole of it is never removed
  };
  // Whether a file may be written there, as far as can be checked without writing.
  static Status check(const std::string& path, const Rules& rules);
  // Reserves the name, also against other processes: an error if a file exists and may not be replaced, if it is an
  // input, if another claim on it exists, or if its folder is missing or not writable.
  static Result<OutputFile> claim(const std::string& path, const Rules& rules);

  OutputFile() = default;
  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile() { discard(); }

  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Where to write. A device or a FIFO is its own part.
  const std::string& part() const { return part_; }
  // Another hidden name in the same folder, for temporary data; removed with the part.
  std::string aside(const std::string& ending);

  Status commit();
  // With keep_parts, the part gets a name beside path(), and news() says which.
  void discard();

  // What became of a part that could be played: one that claim() found, or that discard() left. Else empty.
  const std::string& news() const { return news_; }

 private:
  void forget();

  std::string path_, part_, news_;
  bool keeps_part_ = false;
  std::vector<std::string> asides_;
  FileLock lock_;
};

// Removes all parts, from any thread: for a program that must end at once. With keep_parts, the next claim finds them.
void discard_all_parts();

}  // namespace bcp::cli::run

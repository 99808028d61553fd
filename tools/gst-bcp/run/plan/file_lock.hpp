// SPDX-License-Identifier: LGPL-2.1-or-later
// A lock on the name of an output file, against other processes.

#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"

namespace bcp::cli::run {

// An flock() on a hidden file, which is removed on release. The kernel drops the lock when a process dies, so a file
// left behind by a crash blocks no other run.
class FileLock {
 public:
  enum class Outcome {
    kHeld,
    kBusy,         // another process or another lock of this one holds it
    kUnsupported,  // the file system has no locks; no file remains
    kRefused,      // the hidden file cannot be made; errno says why
  };
  // Never waits.
  Outcome take(const std::string& path);

  FileLock() = default;
  FileLock(FileLock&& other) noexcept { *this = std::move(other); }
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock() { release(); }

  const std::string& path() const { return path_; }
  void release();

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace bcp::cli::run

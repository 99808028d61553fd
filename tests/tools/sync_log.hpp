// SPDX-License-Identifier: LGPL-2.1-or-later
// What this program syncs to the disk, in its order: fsync() and fdatasync() of the C library are replaced, and still
// done.

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bcp::test {

// From its construction to its destruction. One at a time; any thread may sync.
class SyncLog {
 public:
  // `on_sync` is called after each.
  explicit SyncLog(std::function<void(const std::string& path)> on_sync = nullptr);
  ~SyncLog();
  SyncLog(const SyncLog&) = delete;
  SyncLog& operator=(const SyncLog&) = delete;

  // The paths of files and folders.
  std::vector<std::string> paths() const;
  bool has(const std::string& path) const;
};

}  // namespace bcp::test

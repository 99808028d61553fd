// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sync_log.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>

namespace bcp::test {
namespace {

struct Shared {
  std::mutex mutex;
  bool is_on = false;
  std::vector<std::string> paths;
  std::function<void(const std::string&)> on_sync;
};

Shared& shared() {
  static Shared all;
  return all;
}

int synced(int result, int fd) {
  const int number = errno;
  std::error_code error;
  const std::string path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
  std::function<void(const std::string&)> call;
  {
    const std::lock_guard lock(shared().mutex);
    if (shared().is_on) shared().paths.push_back(path), call = shared().on_sync;
  }
  if (call) call(path);
  errno = number;
  return result;
}

}  // namespace

SyncLog::SyncLog(std::function<void(const std::string& path)> on_sync) {
  const std::lock_guard lock(shared().mutex);
  shared().is_on = true;
  shared().paths.clear();
  shared().on_sync = std::move(on_sync);
}

SyncLog::~SyncLog() {
  const std::lock_guard lock(shared().mutex);
  shared().is_on = false;
  shared().on_sync = nullptr;
}

std::vector<std::string> SyncLog::paths() const {
  const std::lock_guard lock(shared().mutex);
  return shared().paths;
}

bool SyncLog::has(const std::string& path) const {
  const std::vector<std::string> all = paths();
  return std::find(all.begin(), all.end(), path) != all.end();
}

}  // namespace bcp::test

// As declared by the C library.
extern "C" int fsync(int fd) {
  return bcp::test::synced(static_cast<int>(::syscall(SYS_fsync, fd)), fd);
}

extern "C" int fdatasync(int fd) {
  return bcp::test::synced(static_cast<int>(::syscall(SYS_fdatasync, fd)), fd);
}

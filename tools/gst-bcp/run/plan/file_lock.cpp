// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace bcp::cli::run {
namespace {

int try_lock(int fd) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

// Whether `path` is still the file behind `fd`: its last holder removes it.
bool is_current(int fd, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

FileLock::Outcome FileLock::take(const std::string& path) {
  release();
  while (true) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return Outcome::kRefused;
    const int fault = try_lock(fd);
    if (fault == 0 && is_current(fd, path)) {
      path_ = path;
      fd_ = fd;
      return Outcome::kHeld;
    }
    if (fault != 0 && fault != EWOULDBLOCK) ::unlink(path.c_str());
    ::close(fd);
    if (fault == EWOULDBLOCK) return Outcome::kBusy;
    if (fault != 0) return Outcome::kUnsupported;
  }
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::exchange(other.path_, {});
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void FileLock::release() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());  // before the lock is released, so that a file of the next holder stays
  ::close(std::exchange(fd_, -1));
  path_.clear();
}

}  // namespace bcp::cli::run

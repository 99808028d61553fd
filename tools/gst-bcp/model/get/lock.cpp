// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {

Result<Descriptor> take_lock(const std::string& path, const Watch& watch, const std::function<void()>& on_wait) {
  using namespace std::chrono_literals;
  std::error_code ignored;  // opening says why
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return system_error("write", path, errno);
  for (bool waiting = false; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (!waiting) on_wait();
    waiting = true;
    if (!watch.pause(200ms)) return interrupted();
  }
  return file;
}

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/disk_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/file.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::chrono::milliseconds kSyncEvery{500};

}  // namespace

std::unique_ptr<DiskSync> DiskSync::start(const std::string& path, When when, std::vector<std::string> beside) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return nullptr;
  return std::unique_ptr<DiskSync>(new DiskSync(std::move(file), when, std::move(beside)));
}

DiskSync::~DiskSync() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DiskSync::request() {
  {
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
  }
  changed_.notify_one();
}

void DiskSync::sync_beside() {
  std::size_t found = 0;
  for (const std::string& path : beside_) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) continue;
    ::fdatasync(file.get());
    ++found;
  }
  if (found > std::exchange(found_, found)) sync_folder_of(beside_.front());
}

void DiskSync::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto has_work = [this] { return is_over_ || is_asked_; };
    if (when_ == When::kOften)
      changed_.wait_for(lock, kSyncEvery, has_work);
    else
      changed_.wait(lock, has_work);
    if (is_over_) return;
    is_asked_ = false;
    lock.unlock();
    if (::fdatasync(file_.get()) != 0)
      fault_ = errno;
    else
      sync_beside();
    lock.lock();
    if (fault_ != 0) return;  // a second sync would report success, whatever was lost
  }
}

}  // namespace bcp::cli::run

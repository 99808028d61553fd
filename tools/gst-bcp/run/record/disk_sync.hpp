// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings a file to the disk while it is written, on a thread of its own: a disk that takes seconds to sync does not
// hold up the writer, whose data would be lost if the program were killed meanwhile.

#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"

namespace bcp::cli::run {

class DiskSync {
 public:
  enum class When {
    kAsked,  // after request()
    kOften,  // twice a second
  };
  // Null: the file cannot be opened. It must exist, and may be renamed meanwhile. `beside`: other files, which may come
  // to be later, and are synced each time after it; their faults do not count.
  static std::unique_ptr<DiskSync> start(const std::string& path, When when, std::vector<std::string> beside = {});
  // Waits for a sync that is under way.
  ~DiskSync();
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  // What is written is synced soon. Several requests during a sync are one. Any thread; never waits for the disk.
  void request();
  // errno of a sync that failed, after which none is tried; 0: none has. Any thread.
  int fault() const { return fault_; }

 private:
  DiskSync(Descriptor file, When when, std::vector<std::string> beside)
      : file_(std::move(file)), when_(when), beside_(std::move(beside)), thread_([this] { work(); }) {}
  void work();
  void sync_beside();

  const Descriptor file_;
  const When when_;
  const std::vector<std::string> beside_;
  std::size_t found_ = 0;  // of these; of the thread
  std::atomic<int> fault_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_asked_ = false, is_over_ = false;  // under the mutex
  std::thread thread_;                       // last: it uses the above
};

}  // namespace bcp::cli::run

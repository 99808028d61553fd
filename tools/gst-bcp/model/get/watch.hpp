// SPDX-License-Identifier: LGPL-2.1-or-later
// The progress of downloads, reported by their threads and shown by the main thread. Thread-safe.

#pragma once

#include <gio/gio.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gst-bcp/common/http_connections.hpp"

namespace bcp::cli::get {

class Watch {
 public:
  struct File {
    std::string name;
    std::uint64_t size = 0;   // 0: not known
    std::uint64_t done = 0;   // bytes that are on the disk
    std::uint64_t begin = 0;  // how many of them existed at the start
    std::string phase = {};   // shown instead of numbers: "waiting", "verifying"
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  };

  // A sentence for people.
  void say(std::string line);

  std::size_t add(std::string name, std::uint64_t size);
  void set_done(std::size_t id, std::uint64_t done);
  // Starts measuring the speed: the file has `begin` bytes of `size`.
  void begin(std::size_t id, std::uint64_t begin, std::uint64_t size);
  void set_phase(std::size_t id, std::string phase);
  void remove(std::size_t id);

  std::vector<std::string> take_lines();
  std::map<std::size_t, File> files() const;

  // Ends all transfers and pauses.
  void stop() { g_cancellable_cancel(cancel_.get()); }
  bool stopped() const { return g_cancellable_is_cancelled(cancel_.get()) != 0; }
  GCancellable* cancellable() const { return cancel_.get(); }
  // False: stop() ended the pause.
  bool pause(std::chrono::milliseconds time) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;     // under the mutex
  std::map<std::size_t, File> files_;  // under the mutex
  std::size_t next_ = 0;               // under the mutex
  const ObjectPtr<GCancellable> cancel_{g_cancellable_new()};
};

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that takes too long for the main loop, which cameras and Ctrl-C depend on: done in the order given, on its own
// thread.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/result.hpp"

namespace bcp::cli {

// Belongs to the thread of the default main loop.
class Worker {
 public:
  // Runs on the worker's thread. Work whose token requests a stop ends soon, with an error.
  using Work = std::function<Status(std::stop_token stop)>;
  // Called from the default main loop.
  using Done = std::function<void(const Status& status)>;

  Worker();
  // Requests a stop of the work in progress and waits for it. No `Done` is called after this.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(Work work, Done done);
  // Requests a stop of the work in progress and of the waiting work. Their `Done` are called.
  void stop() { thread_.request_stop(); }

 private:
  struct Piece {
    Work work;
    Done done;
  };
  struct Finished;

  void serve(const std::stop_token& stop);

  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // of the main thread
  std::mutex mutex_;
  std::condition_variable_any added_;
  std::deque<Piece> pieces_;  // under the mutex
  bool over_ = false;         // under the mutex
  std::jthread thread_;       // last: it uses the above
};

}  // namespace bcp::cli

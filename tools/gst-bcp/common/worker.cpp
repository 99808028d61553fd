// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/worker.hpp"

#include <glib.h>

#include <utility>

namespace bcp::cli {

struct Worker::Finished {
  std::weak_ptr<bool> worker;  // expired: the result is dropped
  Done done;
  Status status;
};

Worker::Worker() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    pieces_.clear();
    over_ = true;
  }
  added_.notify_all();
  thread_.request_stop();
  thread_.join();
}

void Worker::add(Work work, Done done) {
  {
    const std::lock_guard lock(mutex_);
    pieces_.push_back({std::move(work), std::move(done)});
  }
  added_.notify_all();
}

void Worker::serve(const std::stop_token& stop) {
  for (;;) {
    Piece piece;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return over_ || !pieces_.empty(); });
      if (over_) return;
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    auto finished = std::make_unique<Finished>(Finished{alive_, std::move(piece.done), piece.work(stop)});
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        [](gpointer data) -> gboolean {
          const auto& news = *static_cast<Finished*>(data);
          if (!news.worker.expired()) news.done(news.status);
          return G_SOURCE_REMOVE;
        },
        finished.release(), [](gpointer data) { delete static_cast<Finished*>(data); });
  }
}

}  // namespace bcp::cli

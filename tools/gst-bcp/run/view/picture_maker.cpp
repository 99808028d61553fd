// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/picture_maker.hpp"

#include <pthread.h>
#include <sched.h>

#include <utility>

#include "support/owners.hpp"

namespace bcp::cli::view {
PictureMaker::PictureMaker() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

PictureMaker::~PictureMaker() = default;

bool PictureMaker::make(run::FrameTap& tap, const run::JpegShape& shape, Done done) {
  return tap.next([waiting = waiting_, shape, done = std::move(done)](gst::SamplePtr frame) {
    std::shared_ptr<GstSample> shared(frame.release(), gst::Unref());
    {
      const std::lock_guard lock(waiting->mutex);
      if (waiting->work.size() < kMostWaiting) {
        waiting->work.push_back({std::move(shared), shape, done});
        waiting->added.notify_one();
        return;
      }
    }
    done(nullptr);
  });
}

void PictureMaker::serve(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "bcp-pictures");
  // Frames go first. A nice value is not enough: since Linux 6.6 a thread that wakes up may wait until a nicer one has
  // used its slice, about 3 ms; one of this policy is preempted at once.
  const sched_param none{};
  pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
  while (true) {
    Work work;
    {
      std::unique_lock lock(waiting_->mutex);
      if (!waiting_->added.wait(lock, stop, [this] { return !waiting_->work.empty(); })) return;
      work = std::move(waiting_->work.front());
      waiting_->work.pop_front();
    }
    Result<std::string> made = run::encode_jpeg(work.frame.get(), work.shape);
    work.frame.reset();  // the pool may need it
    if (made) ++encoded_;
    work.done(made ? std::make_shared<const std::string>(*std::move(made)) : nullptr);
  }
}

}  // namespace bcp::cli::view

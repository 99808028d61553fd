// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/metrics_file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "support/stats_metrics.hpp"

namespace bcp::tagger {

struct MetricsFile::Part {
  Read read;
  Failed failed;
  std::atomic<Interval> interval{};  // written under the writer's lock
};

class MetricsFile::Writer {
 public:
  // The one for this file; there is one while a part has joined.
  static std::shared_ptr<Writer> of(const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<Writer>> writers;
    std::string target = target_of(path);
    std::lock_guard lock(mutex);
    std::erase_if(writers, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Writer>& known = writers[target];
    std::shared_ptr<Writer> writer = known.lock();
    if (!writer) known = writer = std::make_shared<Writer>(std::move(target));
    return writer;
  }

  explicit Writer(std::string path) : path_(std::move(path)), thread_([this] { run(); }) {}
  ~Writer() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  Status join(const std::shared_ptr<Part>& part) {
    std::lock_guard writing(writing_);
    with_lock([&] { parts_.push_back(part); });
    Status written = write();
    if (!written) with_lock([&] { std::erase(parts_, part); });
    return written;
  }

  void leave(const std::shared_ptr<Part>& part) {
    std::lock_guard writing(writing_);
    stopped_.push_back({part->read(), Clock::now()});
    with_lock([&] { std::erase(parts_, part); });
    tell(write(), {part});
  }

  void set_interval(Part& part, Interval interval) {
    with_lock([&] { part.interval = interval; });
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Stopped {
    Reading reading;
    Clock::time_point when;
  };

  template <typename Fn>
  void with_lock(Fn&& fn) {
    {
      std::lock_guard lock(mutex_);
      fn();
    }
    wake_.notify_one();
  }

  std::vector<std::shared_ptr<Part>> parts() {
    std::lock_guard lock(mutex_);
    return parts_;
  }

  // REQUIRES: mutex_ is held.
  Interval shortest_interval() const {
    Interval shortest = std::chrono::years(100);
    for (const auto& part : parts_) shortest = std::min(shortest, part->interval.load());
    return shortest;
  }

  void run() {
    std::unique_lock lock(mutex_);
    Clock::time_point last = Clock::now();
    while (!ending_) {
      const Interval pause = shortest_interval();
      if (Clock::now() < last + pause) {
        wake_.wait_until(lock, last + pause);
        continue;  // whatever woke us: it may have changed when the next is due
      }
      last = Clock::now();
      lock.unlock();
      {
        std::lock_guard writing(writing_);
        std::erase_if(stopped_, [&](const Stopped& stopped) { return stopped.when + pause <= last; });
        if (!parts().empty()) tell(write(), {});  // else the last one has written, and may have begun anew
      }
      lock.lock();
    }
  }

  // REQUIRES: writing_ is held, here and below.
  Status write() {
    try {
      prometheus::Exposition exposition;
      gst::SourceNames names;
      std::set<std::string> running;
      const auto add = [&](const Reading& reading) {
        gst::add_stats(exposition, names.take(reading.source), reading.stats.get());
      };
      for (const auto& part : parts()) {
        const Reading reading = part->read();
        running.insert(reading.source);
        add(reading);
      }
      for (const Stopped& stopped : stopped_) {
        if (!running.contains(stopped.reading.source)) add(stopped.reading);  // else it has started again
      }
      return replace_file(path_, exposition.text(), Durability::kNone);
    } catch (const std::exception& fault) {
      return Error{ErrorCode::kRuntime, "cannot write " + path_ + ": " + fault.what()};
    }
  }

  // To all parts, and those that have left just now.
  void tell(const Status& written, std::vector<std::shared_ptr<Part>> to) {
    const bool known = std::exchange(failing_, !written);
    if (written) return;
    bool speak = !known;
    for (auto& part : parts()) to.push_back(std::move(part));
    for (const auto& part : to) part->failed(written.error(), std::exchange(speak, false));
  }

  const std::string path_;
  std::mutex writing_;            // held while the file is written, and what is told of that; taken before mutex_
  std::vector<Stopped> stopped_;  // by writing_
  bool failing_ = false;          // by writing_
  std::mutex mutex_;              // a leaf, around what follows
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Part>> parts_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the above
};

Result<std::unique_ptr<MetricsFile>> MetricsFile::join(const std::string& path, Interval interval, Read read,
                                                       Failed failed) {
  std::shared_ptr<Writer> writer = Writer::of(path);
  auto part = std::make_shared<Part>();
  part->read = std::move(read);
  part->failed = std::move(failed);
  part->interval = interval;
  if (Status joined = writer->join(part); !joined) {
    return Error{joined.error().code, joined.error().message +
                                          " (metrics-file: name a file in a folder that is there "
                                          "and may be written)"};
  }
  return std::unique_ptr<MetricsFile>(new MetricsFile(std::move(writer), std::move(part)));
}

MetricsFile::MetricsFile(std::shared_ptr<Writer> writer, std::shared_ptr<Part> part)
    : writer_(std::move(writer)), part_(std::move(part)) {}

MetricsFile::~MetricsFile() {
  writer_->leave(part_);
}

void MetricsFile::set_interval(Interval interval) {
  if (part_->interval.load() != interval) writer_->set_interval(*part_, interval);
}

}  // namespace bcp::tagger

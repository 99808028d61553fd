// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/metrics_file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "support/stats_metrics.hpp"

namespace bcp::tagger {

struct MetricsFile::Part {
  Read read;
  Failed failed;
  std::atomic<Interval> interval{};  // written with the writer's mutex_ held
};

// Owned by its thread and by the parts: the last part may be destroyed inside a message that the thread posts.
class MetricsFile::Writer {
 public:
  // The writer of this file, created for the first part. The thread ends when the last reference is released.
  static std::shared_ptr<Writer> of(const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<Writer>> writers;
    std::string target = target_of(path);
    std::lock_guard lock(mutex);
    std::erase_if(writers, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Writer>& known = writers[target];
    std::shared_ptr<Writer> writer = known.lock();
    if (!writer) known = writer = start(std::move(target));
    return writer;
  }

  explicit Writer(std::string path) : path_(std::move(path)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Status join(const std::shared_ptr<Part>& part) {
    std::lock_guard writing(writing_);
    with_lock([&] { parts_.push_back(part); });
    Status written = write();
    if (!written) with_lock([&] { std::erase(parts_, part); });
    return written;
  }

  void leave(const std::shared_ptr<Part>& part) {
    Failures failures;
    {
      std::lock_guard writing(writing_);
      stopped_.push_back({part->read(), Clock::now()});
      with_lock([&] { std::erase(parts_, part); });
      failures = collect(write(), {part});
    }
    report(failures);
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

  // To be reported to these parts once no lock is held; the first one posts a message if `post` is set.
  struct Failures {
    std::optional<Error> error;
    bool post = false;
    std::vector<std::shared_ptr<Part>> parts;
  };

  static std::shared_ptr<Writer> start(std::string path) {
    auto writer = std::make_shared<Writer>(std::move(path));
    writer->thread_ = std::thread([writer] { writer->run(); });
    return {writer.get(), [writer](Writer*) { writer->end(); }};
  }

  // Waits for the thread, unless it is reporting a failure: this call may come from that report, or the report may be
  // waiting for this call.
  void end() {
    std::unique_lock lock(mutex_);
    ending_ = true;
    const bool reporting = reporting_;
    lock.unlock();
    wake_.notify_one();
    reporting ? thread_.detach() : thread_.join();
  }

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
        continue;  // computes the due time again: a change of interval also wakes the thread
      }
      last = Clock::now();
      lock.unlock();
      const Failures failures = write_again(last - pause);
      lock.lock();
      if (ending_ || !failures.error) continue;
      reporting_ = true;
      lock.unlock();
      report(failures);
      lock.lock();
      reporting_ = false;
    }
  }

  // Writes the file without the elements that stopped before `then`.
  Failures write_again(Clock::time_point then) {
    std::lock_guard writing(writing_);
    std::erase_if(stopped_, [&](const Stopped& stopped) { return stopped.when <= then; });
    if (parts().empty()) return {};  // the last part has written the file, and a new writer may own it by now
    return collect(write(), {});
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
        if (!running.contains(stopped.reading.source)) add(stopped.reading);  // else the element has started again
      }
      return replace_file(path_, exposition.text(), Durability::kNone);
    } catch (const std::exception& fault) {
      return Error{ErrorCode::kRuntime, "cannot write " + path_ + ": " + fault.what()};
    }
  }

  // `to`: parts that have just left; all current parts are added.
  Failures collect(const Status& written, std::vector<std::shared_ptr<Part>> to) {
    const bool known = std::exchange(failing_, !written);
    if (written) return {};
    for (auto& part : parts()) to.push_back(std::move(part));
    return {written.error(), !known, std::move(to)};
  }

  // REQUIRES: no lock is held.
  static void report(const Failures& failures) {
    bool post = failures.post;
    for (const auto& part : failures.parts) part->failed(*failures.error, std::exchange(post, false));
  }

  const std::string path_;
  std::mutex writing_;            // held while the file is written and read() is called, never during failed(); taken
                                  // before mutex_
  std::vector<Stopped> stopped_;  // guarded by writing_
  bool failing_ = false;          // guarded by writing_
  std::mutex mutex_;              // innermost; guards the members below
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Part>> parts_;
  bool ending_ = false;
  bool reporting_ = false;  // the thread is calling failed() of the parts
  std::thread thread_;      // set by start(), joined or detached by end()
};

Result<std::unique_ptr<MetricsFile>> MetricsFile::join(const std::string& path, Interval interval, Read read,
                                                       Failed failed) {
  std::shared_ptr<Writer> writer;
  try {
    writer = Writer::of(path);
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kRuntime, "cannot start a thread for metrics-file=" + path + " (" + error.what() +
                                          "): end other programs, or raise the thread limit (ulimit -u)"};
  }
  auto part = std::make_shared<Part>();
  part->read = std::move(read);
  part->failed = std::move(failed);
  part->interval = interval;
  if (Status joined = writer->join(part); !joined) {
    return Error{joined.error().code,
                 joined.error().message + " (metrics-file: use a file in an existing, writable folder)"};
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

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
  std::atomic<Interval> interval{};  // written under the writer's lock
};

// The thread owns it together with the parts: one of them may end inside a message that the thread posts.
class MetricsFile::Writer {
 public:
  // The one for this file; there is one while a part has joined. The last to let go of it ends the thread.
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

  // What is to be reported once no lock is held: to these parts, aloud to the first if `speak`.
  struct Failures {
    std::optional<Error> error;
    bool speak = false;
    std::vector<std::shared_ptr<Part>> parts;
  };

  static std::shared_ptr<Writer> start(std::string path) {
    auto writer = std::make_shared<Writer>(std::move(path));
    writer->thread_ = std::thread([writer] { writer->run(); });
    return {writer.get(), [writer](Writer*) { writer->end(); }};
  }

  // Waits for the thread, except while it reports a failure: that may be what this call comes from, or wait for it.
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
        continue;  // whatever woke us: it may have changed when the next is due
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

  // Without what stopped before then.
  Failures write_again(Clock::time_point then) {
    std::lock_guard writing(writing_);
    std::erase_if(stopped_, [&](const Stopped& stopped) { return stopped.when <= then; });
    if (parts().empty()) return {};  // the last one has written, and may have begun anew
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
        if (!running.contains(stopped.reading.source)) add(stopped.reading);  // else it has started again
      }
      return replace_file(path_, exposition.text(), Durability::kNone);
    } catch (const std::exception& fault) {
      return Error{ErrorCode::kRuntime, "cannot write " + path_ + ": " + fault.what()};
    }
  }

  // For all parts, and those that have left just now.
  Failures collect(const Status& written, std::vector<std::shared_ptr<Part>> to) {
    const bool known = std::exchange(failing_, !written);
    if (written) return {};
    for (auto& part : parts()) to.push_back(std::move(part));
    return {written.error(), !known, std::move(to)};
  }

  // REQUIRES: no lock is held.
  static void report(const Failures& failures) {
    bool speak = failures.speak;
    for (const auto& part : failures.parts) part->failed(*failures.error, std::exchange(speak, false));
  }

  const std::string path_;
  std::mutex writing_;            // held while the file is written, never while a part is called back but to be read;
                                  // taken before mutex_
  std::vector<Stopped> stopped_;  // by writing_
  bool failing_ = false;          // by writing_
  std::mutex mutex_;              // a leaf, around what follows
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Part>> parts_;
  bool ending_ = false;
  bool reporting_ = false;  // the thread calls functions of parts
  std::thread thread_;      // set by start(), left to end()
};

Result<std::unique_ptr<MetricsFile>> MetricsFile::join(const std::string& path, Interval interval, Read read,
                                                       Failed failed) {
  std::shared_ptr<Writer> writer;
  try {
    writer = Writer::of(path);
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kRuntime, "no thread for metrics-file=" + path + " could be started (" + error.what() +
                                          "): end other programs, or raise the limit of threads (ulimit -u)"};
  }
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

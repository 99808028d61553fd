// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file of `metrics-file`: the numbers of every tagger of this process that names it, in one text.
//
// One thread a file writes it, every interval; it sleeps in between and no frame waits for it. Whoever reads the file
// finds one whole text. The last numbers of a tagger that stopped stay in the text until an interval has passed without
// it, so that a pipeline of many leaves the numbers of all behind.
//
// Thread safety: set_interval() may be called by any thread, the rest by start() and stop().

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "support/owners.hpp"

namespace bcp::tagger {

// A tagger's part in the file.
class MetricsFile {
 public:
  using Interval = std::chrono::milliseconds;
  struct Reading {
    std::string source;
    gst::StructurePtr stats;
  };
  // What there is to say, when it is written. Any thread; throws nothing.
  using Read = std::function<Reading()>;
  // The file could not be written. Every part's function is called each time; `speak` is set for one of them, once
  // until the file can be written again. Called on the writer's thread, or on the one that ends a part, with no lock
  // held: it may post on the bus, and a synchronous bus handler may stop the pipeline from there. So no part waits for
  // it to return, and it must own what it uses. Throws nothing.
  using Failed = std::function<void(const Error&, bool speak)>;

  // Joins the file, and writes it. An error is that of this writing: nothing has joined.
  static Result<std::unique_ptr<MetricsFile>> join(const std::string& path, Interval interval, Read read,
                                                   Failed failed);
  // Writes the last numbers. `read` is not called any more; a call of `failed` that has begun may still be running.
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // Between two writings, from now on. The shortest of all parts counts. Costs nothing where nothing changed.
  void set_interval(Interval interval);

 private:
  class Writer;
  struct Part;
  MetricsFile(std::shared_ptr<Writer> writer, std::shared_ptr<Part> part);

  std::shared_ptr<Writer> writer_;
  std::shared_ptr<Part> part_;
};

}  // namespace bcp::tagger

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file of `metrics-file`: the statistics of all taggers of this process that use the same file.
//
// One thread per file writes it, once per interval; no frame waits for it. The file is replaced atomically, so readers
// never see part of it. The final values of a stopped tagger stay in the file for one more interval, so that a pipeline
// with several taggers leaves the values of all of them.
//
// Thread safety: any thread may call set_interval(); only start() and stop() call the others.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "support/owners.hpp"

namespace bcp::tagger {

// One tagger's share of the file.
class MetricsFile {
 public:
  using Interval = std::chrono::milliseconds;
  struct Reading {
    std::string source;
    gst::StructurePtr stats;
  };
  // Returns the values to write. Called from any thread; must not throw.
  using Read = std::function<Reading()>;
  // Called for every part each time the file cannot be written. `post` is true for one part, the first time until a
  // write succeeds again. Called from the writer's thread, or from the thread that destroys a part, with no lock held:
  // it may post on the bus, and a synchronous bus handler may then stop the pipeline. So no part waits for it to
  // return, and it must own what it uses. Must not throw.
  using Failed = std::function<void(const Error&, bool post)>;

  // Joins the file and writes it once. Returns an error if that write fails; the tagger has not joined then.
  static Result<std::unique_ptr<MetricsFile>> join(const std::string& path, Interval interval, Read read,
                                                   Failed failed);
  // Writes the final values. `read` is not called afterwards; a call of `failed` may still be running.
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // Sets the time between two writes. The shortest interval of all parts is used. Cheap if the interval is unchanged.
  void set_interval(Interval interval);

 private:
  class Writer;
  struct Part;
  MetricsFile(std::shared_ptr<Writer> writer, std::shared_ptr<Part> part);

  std::shared_ptr<Writer> writer_;
  std::shared_ptr<Part> part_;
};

}  // namespace bcp::tagger

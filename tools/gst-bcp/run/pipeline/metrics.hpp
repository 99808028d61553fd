// SPDX-License-Identifier: LGPL-2.1-or-later
// The metrics of a run in the format of Prometheus: those of each running input, and the number of inputs.
//
// Jobs report changes on the main thread; the HTTP server reads the text on its own thread. Neither waits for the
// other.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/prometheus.hpp"
#include "support/guarded.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// An input that runs. Any thread.
class InputMetrics {
 public:
  explicit InputMetrics(std::string source = {}) : source_(std::move(source)) {}

  const std::string& source() const { return source_; }
  // The bcptagger of the input; null: none at the moment.
  void set_tagger(GstElement* tagger);
  // Whether frames come.
  void set_up(bool up) { up_ = up; }
  // It was lost and reconnected.
  void add_reconnect() { ++reconnects_; }

  // Adds its metrics under `name`.
  void add_to(prometheus::Exposition& exposition, const std::string& name) const;

 private:
  const std::string source_;
  gst::Guarded<std::shared_ptr<GstElement>> tagger_;
  std::atomic<bool> up_ = false;
  std::atomic<std::uint64_t> reconnects_ = 0;
};

// All inputs of a run. Any thread.
class RunMetrics {
 public:
  explicit RunMetrics(std::size_t inputs) : inputs_(inputs) {}

  // An input begins. It is in the text as long as the returned pointer is held.
  std::shared_ptr<InputMetrics> begin(const std::string& source);
  // An input has ended, begun or not.
  void end(bool failed) { ++(failed ? failed_ : done_); }

  std::string text() const;

 private:
  const std::size_t inputs_;
  std::atomic<std::size_t> done_ = 0, failed_ = 0;
  gst::Guarded<std::vector<std::weak_ptr<InputMetrics>>> running_;
};

}  // namespace bcp::cli::run

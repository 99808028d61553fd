// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of a run, as Prometheus reads them: those of each running input, and how many inputs there are.
//
// Jobs tell what changes, on the main thread; whoever asks for the text does so on another, and waits for neither.

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
  // The bcptagger it goes through; null: none at the moment.
  void set_tagger(GstElement* tagger);
  // Whether frames come.
  void set_up(bool up) { up_ = up; }
  // It was lost, and found again.
  void add_reconnect() { ++reconnects_; }

  // Its numbers under `name`.
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

  // An input begins. It is in the text for as long as someone holds it.
  std::shared_ptr<InputMetrics> begin(const std::string& source);
  // One has ended, begun or not.
  void end(bool failed) { ++(failed ? failed_ : done_); }

  std::string text() const;

 private:
  const std::size_t inputs_;
  std::atomic<std::size_t> done_ = 0, failed_ = 0;
  gst::Guarded<std::vector<std::weak_ptr<InputMetrics>>> running_;
};

}  // namespace bcp::cli::run

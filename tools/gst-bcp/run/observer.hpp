// SPDX-License-Identifier: LGPL-2.1-or-later
// What follows the inputs of a run beside their files: a page for people, a broker.
//
// All functions are called on the main thread, between on_begin() and on_close() of the job. They must not wait.

#pragma once

#include <functional>
#include <string>

#include "gst-bcp/run/pipeline/seen.hpp"

namespace bcp::cli::run {

class Job;

class Observer {
 public:
  virtual ~Observer() = default;

  // The job exists. It may have no pipeline yet: a camera may be unreachable.
  virtual void on_begin(Job&) {}
  // Its pipeline is complete and is about to play: elements can be found, probes can be added.
  virtual void on_play(Job&) {}
  // A new result.
  virtual void on_seen(Job&, const Seen&) {}
  // A camera was lost, or is back. The sentence is for people.
  virtual void on_source(Job&, bool, const std::string&) {}
  // Other labels are in use (pipeline/controls.hpp).
  virtual void on_labels(Job&) {}
  // Something the user should know; the job goes on.
  virtual void on_remark(Job&, const std::string&) {}
  // What bcptagger assumes about its model or its labels.
  virtual void on_note(Job&, const std::string&) {}
  // The pipeline is destroyed, and the job is deleted soon.
  virtual void on_close(Job&) {}

  using Say = std::function<void(const std::string& sentence)>;
  // Ten times a second, with or without jobs: for what other threads have left for this one. `say` shows a sentence to
  // the user.
  virtual void on_tick(const Say&) {}
};

}  // namespace bcp::cli::run

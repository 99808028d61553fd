// SPDX-License-Identifier: LGPL-2.1-or-later
// The file of cameras of a run, read again while the cameras run. Cameras that the file does not change are not
// touched.
//
// Main thread.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "gst-bcp/run/config/changes.hpp"
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/plan/task.hpp"

namespace bcp::cli::run {

class Reload {
 public:
  // The run whose cameras change.
  struct Run {
    // The job of a camera; null: the camera does not run.
    virtual Job* camera(const std::string& source) = 0;
    // False: it did not start, and the reason was reported.
    virtual bool start_camera(Task task) = 0;
    // What the bcptagger of each camera needs beside its own settings.
    virtual std::vector<Setting> model_settings() const = 0;
    virtual void say(const std::string& line) = 0;
    // Reports the sentence as a failure of the run; returns false.
    virtual bool fail(const std::string& sentence) = 0;

   protected:
    ~Run() = default;
  };

  // `given` is the command line alone. REQUIRES: both references outlive this.
  Reload(Config config, const Request& given, Run& run);

  // Reads the file and changes the run; a file with a fault changes nothing. Both are reported.
  void read_again();
  // The job of a camera has ended. Starts the camera again if a reload wants that.
  void on_ended(const std::string& source);

 private:
  void apply(const ConfigChanges& changes);
  bool start(const std::string& source);
  void set_live(const ConfigChanges::Live& live);

  Config config_;  // as it was read last
  const Request& given_;
  Run& run_;
  std::set<std::string> pending_;  // cameras to start again when their jobs have ended
};

}  // namespace bcp::cli::run

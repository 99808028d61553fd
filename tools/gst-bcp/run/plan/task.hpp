// SPDX-License-Identifier: LGPL-2.1-or-later
// The parts of a plan: one task for each input.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gst-bcp/run/plan/inputs.hpp"
#include "gst-bcp/run/plan/mqtt_options.hpp"
#include "gst-bcp/run/plan/outputs.hpp"
#include "gst-bcp/run/plan/recipe.hpp"
#include "gst-bcp/run/plan/record_options.hpp"

namespace bcp::cli::run {

class InputMetrics;

// How long a camera is retried (camera/reconnect.hpp).
struct ReconnectRules {
  bool wait = false;                                                  // the camera may be unreachable at start
  std::optional<std::chrono::steady_clock::duration> retry_for = {};  // after a loss; unset: for ever
};

// An input, and the files to make from it.
struct Task {
  Input input;
  Recipe recipe;  // complete except for the media, which is probed later
  OutputFile video;
  OutputFile page;                             // its report
  std::vector<std::string> labelled_pictures;  // one for each of the input's; empty: none
  OutputFile::Rules picture_rules;             // of these
  bool print_only = false;                     // prepare, and run nothing
  ReconnectRules reconnect;                    // of a camera
  RecordOptions record;                        // of a live input
  MqttRules mqtt_rules;                        // what of it is sent to the broker, if there is one
  std::shared_ptr<InputMetrics> metrics;       // set before a job starts (pipeline/metrics.hpp)
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// The parsed command line of `gst-bcp run`.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gst-bcp/run/plan/mqtt_options.hpp"
#include "gst-bcp/run/plan/record_options.hpp"
#include "gst-bcp/run/plan/view_options.hpp"

namespace bcp::cli::run {

// A property of bcptagger and its value, as gst-launch-1.0 takes it.
using Setting = std::pair<std::string, std::string>;

// The value the last of the settings gives to this property; empty: not set.
std::string value_of(const std::vector<Setting>& settings, const std::string& property);

// What is made from one input, and how. In a file of cameras each camera has its own.
struct InputOptions {
  std::string out;      // a video, or a directory for one file per input; empty: none
  std::string report;   // a page, or a directory; empty: none
  std::string encoder;  // empty: the best one that works
  RecordOptions record;
  MqttRules mqtt_rules;
  std::vector<Setting> tagger;
  bool wait = false;                // for a camera that is unreachable at start
  std::optional<double> retry_for;  // seconds for which a lost camera is retried; unset: for ever
  bool no_overlay = false;
  bool compare = false;
  bool all_labels = false;

  bool operator==(const InputOptions&) const = default;
};

struct Request : InputOptions {
  std::vector<std::string> inputs;
  std::string config;                         // the file of cameras (run/config), instead of inputs; empty: none
  bool check_only = false;                    // read that file, report its faults and end
  std::string jsonl;                          // "-" is standard output; empty: none
  std::string metrics;                        // where metrics are served, PORT or ADDRESS:PORT; empty: nowhere
  std::string tls_ca;                         // PEM file of the trusted authorities; empty: the system's
  std::vector<std::string> tls_fingerprints;  // of the certificates to accept, as typed
  bool tls_insecure = false;
  MqttOptions mqtt;
  ViewOptions view;
  bool recursive = false;
  bool live = false;
  bool force = false;
  bool quiet = false;
  bool verbose = false;
  bool print_only = false;
  std::vector<std::string> command;         // argv, shown in the report
  std::map<std::string, InputOptions> own;  // by source: inputs that have options of their own

  // The options of an input.
  const InputOptions& of(const std::string& source) const {
    const auto found = own.find(source);
    return found == own.end() ? *this : found->second;
  }
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// The parsed command line of `gst-bcp run`.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bcp::cli::run {

// A property of bcptagger and its value, as gst-launch-1.0 takes it.
using Setting = std::pair<std::string, std::string>;

// The value the last of the settings gives to this property; empty: not set.
std::string value_of(const std::vector<Setting>& settings, const std::string& property);

struct Request {
  std::vector<std::string> inputs;
  std::string out;                            // a video, or a directory for one file per input; empty: none
  std::string jsonl;                          // "-" is standard output; empty: none
  std::string report;                         // a page, or a directory; empty: none
  std::string encoder;                        // empty: the best one that works
  std::string metrics;                        // where metrics are served, PORT or ADDRESS:PORT; empty: nowhere
  std::string tls_ca;                         // PEM file of the trusted authorities; empty: the system's
  std::vector<std::string> tls_fingerprints;  // of the certificates to accept, as typed
  bool tls_insecure = false;
  std::vector<Setting> tagger;
  bool recursive = false;
  bool live = false;
  bool wait = false;                // for a camera that is unreachable at start
  std::optional<double> retry_for;  // seconds for which a lost camera is retried; unset: for ever
  bool force = false;
  bool no_overlay = false;
  bool compare = false;
  bool all_labels = false;
  bool quiet = false;
  bool verbose = false;
  bool print_only = false;
  std::vector<std::string> command;  // argv, shown in the report
};

}  // namespace bcp::cli::run

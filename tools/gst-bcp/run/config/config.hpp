// SPDX-License-Identifier: LGPL-2.1-or-later
// A file of cameras: read, checked as a whole, and combined with the command line. docs/configuration.md describes it.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gst-bcp/run/plan/inputs.hpp"
#include "gst-bcp/run/plan/plugin.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

struct Config {
  Request request;            // the file with the command line over it; `own` has the options of each camera
  std::vector<Input> inputs;  // the cameras, in the order of the file
  std::map<std::string, std::string> label_files;  // the contents of each labels-file, by path
};

// Either a config without faults, or all faults: "FILE:LINE:COLUMN: KEY: SENTENCE".
struct ConfigRead {
  Config config;
  std::vector<std::string> faults;
  std::shared_ptr<ModelKeeper> model;  // keeps the model in memory that the labels were checked with
};

// Reads `given.config`. Options of the command line take precedence over the file, for every camera. Changes nothing
// and starts nothing, so it can be called while cameras run. Reads the environment, password files and files of labels,
// and loads the model, because only that knows which labels it takes. `running` is the config of the cameras that run;
// null: none runs, and the outputs are checked too. REQUIRES: find_plugin(). Main thread.
ConfigRead read_config(const Request& given, const Config* running = nullptr);

// The keys of a place in the file: "" (the document), "camera" (also of `defaults`, except those of
// "camera only"), "camera only", "record", "camera mqtt", "mqtt", "view", "tls". REQUIRES: find_plugin().
std::vector<std::string> config_keys(const std::string& place);

// The settings that all cameras share, because they share one model.
std::vector<Setting> model_settings(const std::vector<Setting>& settings);

}  // namespace bcp::cli::run

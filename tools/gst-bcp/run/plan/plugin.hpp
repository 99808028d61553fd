// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the plugin, checks its properties, and keeps its model loaded.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/request.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// Starts GStreamer and finds bcptagger: where GStreamer looks, or where this program was installed with it.
Status find_plugin();

bool tagger_has(const char* property);

// A property that users may set.
struct TaggerProperty {
  std::string name;
  bool is_live = false;  // may change while frames pass
  std::string help;
};
// Those of bcptagger, in its order. REQUIRES: find_plugin().
std::vector<TaggerProperty> tagger_properties();

// Whether bcptagger has the properties and accepts the values. An error is about the command line. REQUIRES:
// find_plugin().
Status check_settings(const std::vector<Setting>& settings);

// Keeps a model in memory for the pipelines that use it: those with the settings returned by settings(). If the plugin
// cannot share models, nothing is kept.
class ModelKeeper {
 public:
  // Loads the model. An error is bcptagger's own, about the model or the labels.
  static Result<ModelKeeper> open(const std::vector<Setting>& settings);

  ModelKeeper(ModelKeeper&&) = default;
  ModelKeeper& operator=(ModelKeeper&&) = delete;
  ~ModelKeeper();

  // What a pipeline's bcptagger needs in addition to the settings.
  std::vector<Setting> settings() const;

 private:
  explicit ModelKeeper(gst::ElementPtr tagger) : tagger_(std::move(tagger)) {}
  gst::ElementPtr tagger_;  // paused, in no pipeline; null if nothing is kept
};

}  // namespace bcp::cli::run

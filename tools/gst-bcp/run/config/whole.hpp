// SPDX-License-Identifier: LGPL-2.1-or-later
// What only the whole of a file of cameras shows: options that do not fit each other, files that two cameras would
// write, labels that the model does not take.

#pragma once

#include <memory>
#include <vector>

#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/config/section.hpp"

namespace bcp::cli::run {

// Where in the file a fault is.
struct ConfigPlaces {
  const Section& top;
  const Section& defaults;
  const std::vector<Section>& cameras;  // as Config::inputs
};

// Adds each fault to those of the places, and fills in `config.label_files`. `running` as for read_config(); if its
// model is another one, labels are not checked. Returns the model that they were checked with, or null. REQUIRES: the
// parts of the file have no fault.
std::shared_ptr<ModelKeeper> check_whole(Config& config, const ConfigPlaces& places, const Config* running);

}  // namespace bcp::cli::run

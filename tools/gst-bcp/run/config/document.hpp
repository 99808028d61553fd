// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of a file of cameras, parsed as YAML or JSON.

#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "gst-bcp/run/config/faults.hpp"

namespace bcp::cli::run {

// Unset: a fault was added.
std::optional<YAML::Node> load_document(const std::string& path, Faults& faults);

}  // namespace bcp::cli::run

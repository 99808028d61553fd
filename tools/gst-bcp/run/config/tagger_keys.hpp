// SPDX-License-Identifier: LGPL-2.1-or-later
// Which keys of a camera are properties of bcptagger.

#pragma once

#include <string>
#include <vector>

namespace bcp::cli::run {

// The properties that a file may set. REQUIRES: find_plugin().
std::vector<std::string> tagger_keys();

// Whether the property is the same for all cameras, which share one model.
bool is_model_key(const std::string& key);

}  // namespace bcp::cli::run

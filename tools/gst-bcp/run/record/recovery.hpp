// SPDX-License-Identifier: LGPL-2.1-or-later
// What a killed run left in a camera's folder: its last file is cut to its last whole fragment and added to the index.

#pragma once

#include <string>

#include "gst-bcp/run/record/index.hpp"

namespace bcp::cli::run {

// The removal of a file with the labels beside it. False: it is still there.
bool remove_recording(const std::string& folder, const std::string& file);

// Call while no other process records into the folder. Returns sentences about what was found, each on a line; empty:
// nothing.
std::string recover(const std::string& folder, RecordIndex& index);

}  // namespace bcp::cli::run

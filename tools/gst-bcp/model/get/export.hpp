// SPDX-License-Identifier: LGPL-2.1-or-later
// models/export_clip.py: makes a model from a PyTorch checkpoint. It is part of the source tree, and runs with a Python
// that has torch.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

// Where the source tree's models/export_clip.py is: above this program in a build tree, or where GST_BCP_MODEL_PATH
// points. The error says what to do without it.
Result<std::string> find_exporter(const std::string& checkpoint_name);

// Runs it. Python is GST_BCP_PYTHON, else the one that `scripts/setup.sh --export` installs, which is run first. What
// they print goes to the terminal.
Status run_exporter(const std::string& exporter, const std::vector<std::string>& arguments, const Watch& watch);

}  // namespace bcp::cli::get

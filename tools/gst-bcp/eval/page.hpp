// SPDX-License-Identifier: LGPL-2.1-or-later
// The page of an evaluation: one self-contained HTML file with the plots of the paper.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"

namespace bcp::cli {

// Writes the page atomically, and replaces an existing file. `evaluation` is what `gst-bcp eval --json` writes; the
// page omits parts that are missing in it.
Status write_eval_page(const std::string& path, const nlohmann::ordered_json& evaluation);

}  // namespace bcp::cli

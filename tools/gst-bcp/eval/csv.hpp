// SPDX-License-Identifier: LGPL-2.1-or-later
// An evaluation as CSV: one number per line, so that all tables fit into one file.

#pragma once

#include <string>

#include "eval/results.hpp"

namespace bcp::cli {

// Columns table, row, column, value: "anchor_confidence,0.5,bcp.logits,62.99". A missing value is empty.
std::string csv_text(const eval::Results& results);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// An evaluation as CSV: one number a line, so that every table of it fits one file.

#pragma once

#include <string>

#include "eval/results.hpp"

namespace bcp::cli {

// Columns table, row, column, value: "anchor_confidence,0.5,bcp.logits,62.99". No value where there is none.
std::string csv_text(const eval::Results& results);

}  // namespace bcp::cli

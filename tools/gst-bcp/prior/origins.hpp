// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the statistics of a prior file come from (prior/origin.hpp), for display.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gst-bcp/common/table.hpp"
#include "prior/snapshot.hpp"

namespace bcp::cli {

// "2026-03-01 14:05 UTC" for seconds since 1970.
std::string utc_text(std::uint64_t seconds);

// A table with a heading; empty if nothing is known, as in files of older versions.
std::vector<Row> origin_rows(const std::vector<prior::Origin>& origins);
nlohmann::ordered_json origins_json(const std::vector<prior::Origin>& origins);

// "812 effective, of 2400 learnt", or "812" if it is not known how many were learnt or none was forgotten.
std::string samples_text(const prior::Snapshot& prior);

// "street (a1b2c3d4e5f6)", the identity alone if no installed model has it, or "unknown".
std::string model_text(const std::string& identity);
// The name of the installed model with this identity; empty if it is not installed.
std::string model_name(const std::string& identity);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// A prior file as an HTML page: a heat map of which labels occur together. The page needs no script and no network.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prior/snapshot.hpp"

namespace bcp::cli {

// Of these labels (rows of prior.seen), in this order.
std::string heat_map_page(const prior::Snapshot& prior, const std::string& file,
                          const std::vector<std::size_t>& labels);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// A table of the paper with one's own figures beside its.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/paper/evaluations.hpp"
#include "gst-bcp/paper/tables.hpp"

namespace bcp::cli::paper {

struct Pair {
  std::optional<double> paper, here;
};

struct Comparison {
  const Table* table = nullptr;
  std::vector<std::vector<Pair>> rows;  // as the table's rows and columns
};

Comparison compare(const Table& table, const std::vector<Evaluation>& evaluations);

// Two evaluations of one data set and backbone are an error: which is meant?
Status check_distinct(const std::vector<Evaluation>& evaluations);

}  // namespace bcp::cli::paper

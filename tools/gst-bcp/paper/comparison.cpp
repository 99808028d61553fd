// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/paper/comparison.hpp"

#include <algorithm>
#include <cstddef>

namespace bcp::cli::paper {
namespace {

const Evaluation* find(const std::vector<Evaluation>& evaluations, const std::string& dataset,
                       const std::string& backbone) {
  const auto found = std::find_if(evaluations.begin(), evaluations.end(), [&](const Evaluation& each) {
    return each.dataset() == dataset && each.backbone() == backbone;
  });
  return found != evaluations.end() ? &*found : nullptr;
}

std::optional<double> figure_here(const Table& table, const Row& row, const std::string& column,
                                  const std::vector<Evaluation>& evaluations) {
  const std::string& dataset = table.across == Across::kDataset ? column : row.key("dataset", table.dataset);
  const Evaluation* evaluation = find(evaluations, dataset, row.key("backbone", table.backbone));
  if (evaluation == nullptr) return std::nullopt;
  const std::string& method = row.key("method", "");
  if (table.across == Across::kOrder) return column == kAverage ? evaluation->mean_over_orders(method) : std::nullopt;
  const std::string& line = table.across == Across::kLine ? column : row.key(table.line_key, table.line);
  return evaluation->figure(method, table.protocol, line);
}

// Of all data sets or of none: a mean over some is another figure.
std::optional<double> mean_here(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) {
    if (!pair.here) return std::nullopt;
    sum += *pair.here;
  }
  return sum / static_cast<double>(pairs.size());
}

}  // namespace

Comparison compare(const Table& table, const std::vector<Evaluation>& evaluations) {
  Comparison comparison{&table, {}};
  for (const Row& row : table.rows) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const bool is_mean = table.across == Across::kDataset && table.columns[i] == kAverage;
      pairs.push_back(
          {row.figures[i], is_mean ? mean_here(pairs) : figure_here(table, row, table.columns[i], evaluations)});
    }
    comparison.rows.push_back(std::move(pairs));
  }
  return comparison;
}

Status check_distinct(const std::vector<Evaluation>& evaluations) {
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (evaluations[i].dataset() == evaluations[j].dataset() &&
          evaluations[i].backbone() == evaluations[j].backbone())
        return Error{ErrorCode::kInvalid, evaluations[j].path() + " and " + evaluations[i].path() + " are both of " +
                                              evaluations[i].dataset() + " with " + evaluations[i].backbone() +
                                              ": give one of them"};
  return ok();
}

}  // namespace bcp::cli::paper

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/tally.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "gst-bcp/common/clock_text.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::size_t kRows = 20;

std::string percent(std::size_t part, std::size_t whole) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.0f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text.data();
}

std::string two_digits(double value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

}  // namespace

void Tally::add(const Seen& seen) {
  ++results_;
  if (seen.labels.empty() && !seen.context.empty()) ++contexts_[seen.context];
  for (const ShownLabel& label : seen.labels) {
    Count& count = labels_[label.name];
    ++count.results;
    count.highest = std::max(count.highest, label.probability);
    if (!GST_CLOCK_TIME_IS_VALID(count.first)) count.first = seen.time;
    count.last = seen.time;
  }
}

void Tally::add(const Tally& other) {
  results_ += other.results_;
  for (const auto& [word, count] : other.contexts_) contexts_[word] += count;
  for (const auto& [name, theirs] : other.labels_) {
    Count& count = labels_[name];
    count.results += theirs.results;
    count.highest = std::max(count.highest, theirs.highest);
  }
}

std::string Tally::nothing_seen() const {
  std::string text = "no label was shown in " + std::to_string(results_) + (results_ == 1 ? " result" : " results");
  const auto most = std::max_element(contexts_.begin(), contexts_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != contexts_.end()) text += "; context: " + most->first + " in " + percent(most->second, results_);
  return text;
}

std::vector<Row> Tally::table(bool with_times) const {
  std::vector<std::pair<std::string, Count>> order(labels_.begin(), labels_.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.results > b.second.results; });
  std::vector<Row> rows{{"label", "seen in", "at most"}};
  if (with_times) rows[0].insert(rows[0].end(), {"first", "last"});
  for (const auto& [name, count] : order) {
    if (rows.size() > kRows) {
      rows.push_back({"and " + std::to_string(order.size() - kRows) + " more"});
      break;
    }
    Row& row = rows.emplace_back(Row{name, percent(count.results, results_), two_digits(count.highest)});
    if (with_times) row.insert(row.end(), {clock_text(count.first, true), clock_text(count.last, true)});
  }
  return rows;
}

}  // namespace bcp::cli::run

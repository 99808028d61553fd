// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior diff: what differs between two prior files.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/prior/origins.hpp"
#include "gst-bcp/prior/pairs.hpp"
#include "prior/snapshot.hpp"

namespace bcp::cli {
namespace {

using DiffJson = nlohmann::ordered_json;

struct DiffOptions {
  std::string first, second;
  bool json = false;
  std::size_t top = 10;
  double support = 0.5;
};

// A value of a label, or of two, in both files.
struct Change {
  std::string a, b;
  double first, second;
  double size() const { return std::abs(second - first); }
};

struct Difference {
  std::vector<std::string> only_first, only_second;  // labels
  std::vector<Change> shares, information, offsets;  // largest first
};

void keep_largest(std::vector<Change>& changes, std::size_t count) {
  std::erase_if(changes, [](const Change& each) { return each.size() < 1e-12; });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& x, const Change& y) { return x.size() > y.size(); });
  changes.resize(std::min(count, changes.size()));
}

// With at least half a sample of evidence, so that a pair without any is not infinitely far from chance.
double information_of(const adapt::Cooccurrence& seen, std::size_t a, std::size_t b) {
  const auto since = seen.since(a, b);
  if (since.samples <= 0) return 0;
  const double expected = since.single[a] * since.single[b] / since.samples;
  return std::log((seen.pair(a, b) + 0.5) / (expected + 0.5));
}

Difference compare(const prior::Snapshot& first, const prior::Snapshot& second, const DiffOptions& options) {
  Difference found;
  const std::vector<int> rows = adapt::rows_of(first.labels, second.labels);
  std::vector<std::pair<std::size_t, std::size_t>> common;  // rows with enough evidence for pairs
  for (std::size_t k = 0; k < first.labels.size(); ++k) {
    if (rows[k] < 0) {
      found.only_first.push_back(first.labels[k]);
      continue;
    }
    const auto there = static_cast<std::size_t>(rows[k]);
    found.shares.push_back({first.labels[k], "", share_of(first.seen, k), share_of(second.seen, there)});
    if (std::max(first.seen.single()[k], second.seen.single()[there]) >= options.support) common.emplace_back(k, there);
  }
  const std::vector<int> back = adapt::rows_of(second.labels, first.labels);
  for (std::size_t k = 0; k < second.labels.size(); ++k) {
    if (back[k] < 0) found.only_second.push_back(second.labels[k]);
  }
  for (std::size_t x = 0; x < common.size(); ++x) {
    for (std::size_t y = x + 1; y < common.size(); ++y) {
      found.information.push_back({first.labels[common[x].first], first.labels[common[y].first],
                                   information_of(first.seen, common[x].first, common[y].first),
                                   information_of(second.seen, common[x].second, common[y].second)});
    }
    if (found.information.size() > 1'000'000) keep_largest(found.information, options.top);  // twenty thousand labels
  }
  std::set<std::string> taught;
  for (const auto& [label, offset] : first.taught.offsets()) taught.insert(label);
  for (const auto& [label, offset] : second.taught.offsets()) taught.insert(label);
  const auto offset_in = [](const prior::Snapshot& prior, const std::string& label) {
    const auto offset = prior.taught.offsets().find(label);
    return offset == prior.taught.offsets().end() ? 0.0 : offset->second.mean;
  };
  for (const std::string& label : taught)
    found.offsets.push_back({label, "", offset_in(first, label), offset_in(second, label)});
  for (auto* changes : {&found.shares, &found.information, &found.offsets}) keep_largest(*changes, options.top);
  return found;
}

DiffJson changes_json(const std::vector<Change>& changes) {
  DiffJson all = DiffJson::array();
  for (const Change& change : changes) {
    DiffJson labels = {change.a};
    if (!change.b.empty()) labels.push_back(change.b);
    all.push_back({{"labels", labels}, {"first", change.first}, {"second", change.second}});
  }
  return all;
}

DiffJson file_json(const std::string& path, const prior::Snapshot& prior, const std::vector<std::string>& only) {
  return {{"file", path},
          {"model", prior.model},
          {"samples", prior.seen.samples()},
          {"corrections", prior.taught.statements()},
          {"origins", origins_json(prior.origins)},
          {"only_here", only}};
}

void print_changes(const char* title, const std::vector<Change>& changes, const char* format, double factor) {
  if (changes.empty()) return;
  std::vector<Row> rows{{title, "first", "second", "change"}};
  for (const Change& change : changes) {
    rows.push_back({change.b.empty() ? change.a : change.a + ", " + change.b,
                    number_text(format, factor * change.first), number_text(format, factor * change.second),
                    number_text("%+.2f", factor * (change.second - change.first))});
  }
  std::cout << '\n';
  print_numbers(std::cout, rows);
}

std::string names_text(const std::vector<std::string>& names, std::size_t most) {
  std::string text = std::to_string(names.size());
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? ": " : ", ") + names[i];
  return names.size() > most && most > 0 ? text + ", …" : text;
}

Status diff_files(const DiffOptions& options) {
  const Result<prior::Snapshot> first = prior::load_snapshot(options.first),
                                second = prior::load_snapshot(options.second);
  if (!first) return first.error();
  if (!second) return second.error();
  const Difference found = compare(*first, *second, options);
  if (options.json) {
    const DiffJson all = {{"first", file_json(options.first, *first, found.only_first)},
                          {"second", file_json(options.second, *second, found.only_second)},
                          {"shares", changes_json(found.shares)},
                          {"information", changes_json(found.information)},
                          {"offsets", changes_json(found.offsets)}};
    std::cout << all.dump(2, ' ', false, DiffJson::error_handler_t::replace) << '\n';
    return ok();
  }
  const auto corrections = [](const prior::Snapshot& prior) { return std::to_string(prior.taught.statements()); };
  print_table(std::cout,
              {{"", "first", "second"},
               {"file", options.first, options.second},
               {"model", model_text(first->model), model_text(second->model)},
               {"samples", samples_text(*first), samples_text(*second)},
               {"corrections", corrections(*first), corrections(*second)},
               {"only here", names_text(found.only_first, options.top), names_text(found.only_second, options.top)}});
  print_changes("share, %", found.shares, "%.2f", 100);
  print_changes("information", found.information, "%+.2f", 1);
  print_changes("taught", found.offsets, "%+.2f", 1);
  if (found.shares.empty() && found.information.empty() && found.offsets.empty())
    std::cout << "\nWhat both have in common is equal.\n";
  return ok();
}

}  // namespace

Command prior_diff(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "diff",
      "Compare two prior files: labels that only one has, labels that are more or less frequent, pairs that occur "
      "together more or less often, and what was taught.");
  const auto options = std::make_shared<DiffOptions>();
  command.add_option("FIRST", options->first, "A prior file")->required()->type_name(" ");
  command.add_option("SECOND", options->second, "Another prior file")->required()->type_name(" ");
  command.add_flag("--json", options->json, "Print JSON");
  command.add_option("--top", options->top, "Number of differences of each kind to show")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--support", options->support,
                  "Compare pairs of labels that were seen in at least this many samples in one of the files")
      ->check(CLI::Range(1e-9, 1e9).description(""))
      ->type_name("SAMPLES")
      ->capture_default_str();
  command.footer(
      "\"information\" is log((seen + 0.5) / (expected + 0.5)): above 0, the labels occur together more often than by\n"
      "chance. The largest differences come first.");
  return {&command, [options] { return diff_files(*options); }};
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior show: the contents of a prior file.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/prior/origins.hpp"
#include "gst-bcp/prior/pairs.hpp"
#include "gst-bcp/prior/taught.hpp"
#include "prior/snapshot.hpp"

namespace bcp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ShowOptions {
  std::string file;
  bool json = false;
  std::size_t top = 10;
  double support = 0.5;
};

Json json_of(const std::vector<Pair>& pairs, const std::vector<std::string>& labels) {
  Json all = Json::array();
  for (const Pair& pair : pairs) {
    all.push_back({{"labels", {labels[pair.a], labels[pair.b]}},
                   {"information", pair.information},
                   {"seen", pair.seen},
                   {"expected", pair.expected}});
  }
  return all;
}

Json json_of(const decide::Taught& taught, std::size_t pairs) {
  Json labels = Json::array(), together = Json::array();
  for (const TaughtLabel& label : taught_labels(taught))
    labels.push_back(
        {{"label", label.label}, {"offset", label.offset}, {"sd", label.sd}, {"initial_sd", label.initial_sd}});
  for (const TaughtPair& pair : taught_pairs(taught, pairs))
    together.push_back(
        {{"word", pair.word}, {"label", pair.label}, {"present", pair.present}, {"frames", pair.frames}});
  return {{"statements", taught.statements()},
          {"offset", taught.offset()},
          {"sd", std::sqrt(taught.variance())},
          {"labels", labels},
          {"pairs", together}};
}

void print_json(const ShowOptions& options, const prior::Snapshot& prior, const StrongestPairs& pairs) {
  const bool dense = prior.seen.parts().dense;
  const std::string name = model_name(prior.model);
  Json labels = Json::array();
  for (std::size_t k = 0; k < prior.labels.size(); ++k) {
    labels.push_back(
        {{"label", prior.labels[k]}, {"samples", prior.seen.single()[k]}, {"share", share_of(prior.seen, k)}});
  }
  const Json all = {{"file", options.file},
                    {"model", {{"identity", prior.model}, {"name", name.empty() ? Json() : Json(name)}}},
                    {"origins", origins_json(prior.origins)},
                    {"samples", prior.seen.samples()},
                    {"warmed_up", prior.settled},
                    {"storage", dense ? "dense" : "sparse"},
                    {"pairs", prior.seen.stored_pairs()},
                    {"labels", labels},
                    {"together", json_of(pairs.together, prior.labels)},
                    {"apart", json_of(pairs.apart, prior.labels)},
                    {"taught", json_of(prior.taught, options.top)}};
  std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_pairs(const char* title, const std::vector<Pair>& pairs, const std::vector<std::string>& labels) {
  if (pairs.empty()) return;
  std::vector<Row> rows{{title, "", "information", "seen", "expected"}};
  for (const Pair& pair : pairs) {
    rows.push_back({labels[pair.a], labels[pair.b], number_text("%+.2f", pair.information),
                    number_text("%.2f", pair.seen), number_text("%.2f", pair.expected)});
  }
  std::cout << '\n';
  print_table(std::cout, rows);
}

std::string describe(const decide::Taught& taught) {
  if (taught.statements() == 0) return "nothing";
  const auto count = [](std::uint64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
  };
  return count(taught.statements(), "statement") + " about " + count(taught.offsets().size(), "label");
}

void print_taught(const decide::Taught& taught, std::size_t top) {
  const std::vector<TaughtLabel> labels = taught_labels(taught);
  if (labels.empty() || top == 0) return;
  std::vector<Row> rows{{"taught", "offset", "+-"}};
  for (std::size_t i = 0; i < std::min(top, labels.size()); ++i)
    rows.push_back({labels[i].label, number_text("%+.2f", labels[i].offset), number_text("%.2f", labels[i].sd)});
  rows.push_back(
      {"(all labels)", number_text("%+.2f", taught.offset()), number_text("%.2f", std::sqrt(taught.variance()))});
  std::cout << '\n';
  print_numbers(std::cout, rows);
  const std::vector<TaughtPair> pairs = taught_pairs(taught, top);
  if (pairs.empty()) return;
  rows = {{"frame is of", "shows", "in", "of frames"}};
  for (const TaughtPair& pair : pairs)
    rows.push_back({pair.word, pair.label, number_text("%.2f", pair.present), number_text("%.2f", pair.frames)});
  std::cout << '\n';
  print_table(std::cout, rows);
}

void print_text(const ShowOptions& options, const prior::Snapshot& prior, const StrongestPairs& pairs) {
  std::error_code ignored;
  const double n = prior.seen.samples();
  print_table(std::cout,
              {{"file", options.file + ", " + bytes_for_people(std::filesystem::file_size(options.file, ignored))},
               {"model", model_text(prior.model)},
               {"samples", samples_text(prior) + (prior.settled ? ", warm-up is over" : "")},
               {"labels", std::to_string(prior.labels.size()) + ", " + std::to_string(prior.seen.stored_pairs()) +
                              " pairs stored"},
               {"taught", describe(prior.taught)}});
  if (const std::vector<Row> origins = origin_rows(prior.origins); !origins.empty()) {
    std::cout << '\n';
    print_table(std::cout, origins);
  }
  print_taught(prior.taught, options.top);
  if (n <= 0) return;
  std::vector<Row> rows{{"likeliest", "share", "samples"}};
  for (const std::size_t k : likeliest(prior.seen, options.top)) {
    rows.push_back({prior.labels[k], number_text("%.1f %%", 100 * share_of(prior.seen, k)),
                    number_text("%.2f", prior.seen.single()[k])});
  }
  std::cout << '\n';
  print_table(std::cout, rows);
  print_pairs("together", pairs.together, prior.labels);
  print_pairs("apart", pairs.apart, prior.labels);
  if (pairs.together.empty() && pairs.apart.empty()) {
    std::cout << "\nNo two labels were seen or expected together in " << number_text("%g", options.support)
              << " samples: too few samples were learnt (a lower --support shows more)\n";
  }
}

Status show(const ShowOptions& options) {
  const Result<prior::Snapshot> prior = prior::load_snapshot(options.file);
  if (!prior) return prior.error();
  const StrongestPairs pairs = strongest_pairs(prior->seen, options.top, options.support);
  options.json ? print_json(options, *prior, pairs) : print_text(options, *prior, pairs);
  return ok();
}

}  // namespace

Command prior_show(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("show",
                                            "Show the contents of a prior file: its model and labels, which streams "
                                            "have learnt it and when, what people have "
                                            "taught, how much was learnt, which labels are frequent, and which occur "
                                            "together more or less often than by chance.");
  const auto options = std::make_shared<ShowOptions>();
  command.add_option("FILE", options->file, "The prior file of a bcptagger (property prior-file)")->required();
  command.add_flag("--json", options->json, "Print JSON, with all labels");
  command.add_option("--top", options->top, "Number of labels and pairs to show")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000}))
      ->capture_default_str();
  command
      .add_option("--support", options->support,
                  "Show pairs that were seen, or expected by chance, in at least this many samples")
      ->check(CLI::Range(1e-9, 1e9))
      ->capture_default_str();
  command.footer(
      "A sample counts by the model's confidence in the label: two labels at 0.5 each are seen together in a "
      "quarter\n"
      "of a sample. \"information\" is log(seen / expected), which the correction adds to the score of one "
      "label\n"
      "when the other is the anchor (less shrinkage). Effective samples are those left after forgetting "
      "(half-life).\n\n"
      "\"offset\" is what teaching adds to a label's log-odds (+1 makes 0.50 of it 0.73), +- its standard deviation. "
      "\"frame\n"
      "is of\" counts fully labelled pictures, divided among the words that match each.");
  return {&command, [options] { return show(*options); }};
}

}  // namespace bcp::cli

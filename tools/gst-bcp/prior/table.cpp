// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior table: a prior table from labelled pictures.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "decide/prior_table.hpp"
#include "decide/table_counter.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/labelled/pictures.hpp"
#include "gst-bcp/prior/commands.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;
using Counts = decide::PriorTable::Counts;

constexpr double kSupport = 5;  // a pair is listed if at least this many pictures show both labels

struct TableOptions {
  std::string output, source;
  std::vector<std::string> inputs;
  std::size_t min_count = 1, top = 10;
};

std::string plural(double count, const std::string& noun) {
  return number_text("%.0f ", count) + noun + (count == 1 ? "" : "s");
}

// Labels of a stream are looked up in lower case too, so a table in lower case works for every spelling.
// The output is the first argument: an input given there by mistake must not be overwritten.
Status check_output(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    const Result<decide::PriorTable> there = decide::PriorTable::load(path);
    if (!there && there.error().code != ErrorCode::kUnsupported)
      return Error{ErrorCode::kInvalid, path +
                                            " exists and is not a prior table, so it is not overwritten: the output "
                                            "comes first, as in gst-bcp prior table OUT.json INPUT"};
  }
  return check_replaceable(path);
}

Result<Counts> count(const TableOptions& options) {
  decide::TableCounter counter;
  std::string names;
  for (const std::string& input : options.inputs) {
    Result<LabelledPictures> read = read_labelled(input, "");
    if (!read) return read.error();
    for (LabelledPicture& picture : read->pictures) {
      for (std::string& label : picture.labels) label = lower(std::move(label));
      counter.add(picture.labels);
    }
    const fs::path path = input.ends_with('/') ? fs::path(input).parent_path() : fs::path(input);
    names += (names.empty() ? "" : ", ") + path.filename().string();
  }
  Counts counts = counter.counts(options.min_count);
  if (counts.labels.empty())
    return Error{ErrorCode::kInvalid, "none of the " + std::to_string(counter.labels()) + " labels is in " +
                                          std::to_string(options.min_count) + " pictures or more: lower --min-count"};
  counts.source = options.source.empty() ? "counted by gst-bcp prior table in " + names : options.source;
  return counts;
}

void print_frequent(const Counts& counts, std::size_t top) {
  std::vector<Row> rows{{"most frequent", "pictures", "share"}};
  for (std::size_t k = 0; k < std::min(top, counts.labels.size()); ++k)
    rows.push_back({counts.labels[k], number_text("%.0f", counts.count[k]),
                    number_text("%.1f %%", 100 * counts.count[k] / counts.pictures)});
  std::cout << '\n';
  print_numbers(std::cout, rows);
}

void print_bound(const Counts& counts, std::size_t top) {
  struct Bound {
    std::size_t a, b;
    double chance, lift;
  };
  std::vector<Bound> all;
  for (std::size_t a = 0; a < counts.labels.size(); ++a) {
    for (std::size_t b = a + 1; b < counts.labels.size(); ++b) {
      const double chance = counts.count[a] * counts.count[b] / counts.pictures;
      const double both = counts.together[a][b];
      if (both >= kSupport && both > chance) all.push_back({a, b, chance, both / chance});
    }
  }
  std::cout << '\n';
  if (all.empty()) {
    std::cout << "No two labels occur together in " << number_text("%.0f", kSupport)
              << " pictures or more, and more often than by chance.\n";
    return;
  }
  const std::size_t shown = std::min(top, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                    [](const Bound& x, const Bound& y) { return x.lift > y.lift; });
  std::vector<Row> rows{{"most bound", "together", "by chance", "times as often"}};
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back({counts.labels[all[i].a] + ", " + counts.labels[all[i].b],
                    number_text("%.0f", counts.together[all[i].a][all[i].b]), number_text("%.1f", all[i].chance),
                    number_text("%.1f", all[i].lift)});
  print_numbers(std::cout, rows);
}

Status make_table(const TableOptions& options) {
  if (const Status writable = check_output(options.output); !writable) return writable;
  const Result<Counts> counts = count(options);
  if (!counts) return counts.error();
  if (const Status saved = decide::PriorTable::save(options.output, *counts); !saved) {
    const bool too_many = saved.error().code == ErrorCode::kInvalid;
    return Error{saved.error().code, saved.error().message + (too_many ? "; --min-count drops rare labels" : "")};
  }
  double sum = 0, pairs = 0;
  for (std::size_t a = 0; a < counts->labels.size(); ++a) {
    sum += counts->count[a];
    for (std::size_t b = a + 1; b < counts->labels.size(); ++b) pairs += counts->together[a][b] > 0 ? 1 : 0;
  }
  print_table(std::cout, {{"table", options.output},
                          {"source", counts->source},
                          {"counted", plural(counts->pictures, "picture") + ", " +
                                          plural(static_cast<double>(counts->labels.size()), "label") + ", " +
                                          number_text("%.2f", sum / counts->pictures) + " labels per picture, " +
                                          plural(pairs, "pair") + " seen together"}});
  print_frequent(*counts, options.top);
  print_bound(*counts, options.top);
  return ok();
}

CLI::Validator ends_in_json() {
  const auto check = [](std::string& name) -> std::string {
    if (name.size() > 5 && name.ends_with(".json")) return {};
    return name + " does not end in .json, so it is not written to: give the output first, as in table.json";
  };
  return CLI::Validator(check, "", "output");
}

}  // namespace

Command prior_table(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "table",
      "Make a prior table from labelled pictures: how often each label occurs, alone and together with others. "
      "bcptagger prior-table=FILE uses it instead of the built-in table of 80 everyday nouns.");
  const auto options = std::make_shared<TableOptions>();
  command.add_option("OUT.json", options->output, "The table to write; an existing table is replaced")
      ->required()
      ->check(ends_in_json())
      ->type_name(" ");
  command
      .add_option(
          "INPUT", options->inputs,
          "Labelled pictures: COCO-style JSON (instances_*.json); JSON or JSON lines of {\"picture\": \"a.jpg\", "
          "\"labels\": [\"dog\"]}; a folder with VOC XML annotations; or a folder of pictures with a NAME.txt "
          "beside each. Several are counted together")
      ->required()
      ->type_name(" ");
  command
      .add_option("--source,--name", options->source,
                  "Description of the data, stored in the table (default: the names of the inputs)")
      ->type_name("TEXT");
  command
      .add_option("--min-count", options->min_count,
                  "Drop labels that occur in fewer pictures than this; they then count as unknown words")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--top", options->top, "Number of labels and pairs to print")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.footer(
      "Labels are written in lower case. \"times as often\" compares with independent labels; "
      "pairs\n"
      "in fewer than 5 pictures are not listed.\n\n"
      "Examples:\n  gst-bcp prior table street.json annotations/instances_train.json --source \"our street, 2024\"\n"
      "  gst-bcp prior table voc.json VOCdevkit --min-count 10");
  return {&command, [options] { return make_table(*options); }};
}

}  // namespace bcp::cli

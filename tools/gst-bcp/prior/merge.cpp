// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior merge: one prior file from several.

#include "prior/merge.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/prior/origins.hpp"
#include "gst-bcp/prior/output.hpp"

namespace bcp::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
};

Status merge_files(const MergeOptions& options) {
  if (const Status writable = check_output_file(options.output, options.force); !writable) return writable;
  std::optional<prior::Snapshot> sum;
  std::vector<Row> rows{{"merged", "labels", "samples", "corrections"}};
  const auto add_row = [&](const std::string& name, const prior::Snapshot& prior) {
    rows.push_back({name, std::to_string(prior.labels.size()), number_text("%.6g", prior.seen.samples()),
                    std::to_string(prior.taught.statements())});
  };
  for (const std::string& file : options.files) {
    Result<prior::Snapshot> next = prior::load_snapshot(file);
    if (!next) return next.error();
    add_row(file, *next);
    if (!sum) {
      sum = *std::move(next);
      continue;
    }
    if (const Status addable = prior::check_addable(sum->model, sum->origins, *next); !addable)
      return Error{addable.error().code, file + addable.error().message};
    sum = prior::merged(*sum, *next);
  }
  if (const Status saved = prior::save_snapshot(options.output, *sum); !saved) return saved;
  add_row(options.output, *sum);
  print_numbers(std::cout, rows);
  return ok();
}

}  // namespace

Command prior_merge(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "merge",
      "Merge prior files of one model into one: what one stream with all their frames would have learnt, and was "
      "taught. The order of the files does not matter.");
  const auto options = std::make_shared<MergeOptions>();
  command.add_option("FILE", options->files, "Prior files, two or more")
      ->required()
      ->expected(2, 100'000)
      ->type_name(" ");
  command.add_option("-o,--out", options->output, "The prior file to write")->required()->type_name("OUT");
  command.add_flag("--force", options->force, "Overwrite OUT if it exists");
  command.footer(
      "The result has the labels of all files. A pair of labels counts only frames of streams that had both. Files "
      "that\n"
      "contain the same stream are refused: give only the newest file of each. A running bcptagger merges a file with "
      "the\n"
      "signal merge-prior.\n\n"
      "Example:\n  gst-bcp prior merge door.prior yard.prior --out site.prior");
  return {&command, [options] { return merge_files(*options); }};
}

}  // namespace bcp::cli

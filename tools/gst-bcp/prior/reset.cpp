// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior reset: clears a prior file, or parts of it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/prior/origins.hpp"
#include "gst-bcp/prior/output.hpp"
#include "prior/clear.hpp"

namespace bcp::cli {
namespace {

struct ResetOptions {
  std::string file, output;
  std::vector<std::string> labels;
  bool learnt = false, taught = false, force = false;
};

std::string contents_text(const prior::Snapshot& prior) {
  return number_text("%.6g", prior.seen.samples()) + " samples and " + counted(prior.taught.statements(), "correction");
}

// Without all that was learnt about the label, and taught.
Status forget_label(prior::Snapshot& prior, const std::string& label, const ResetOptions& options) {
  const auto found = std::find(prior.labels.begin(), prior.labels.end(), label);
  if (found == prior.labels.end()) {
    const std::vector<std::size_t> near = similar(label, prior.labels, 1);
    return Error{ErrorCode::kInvalid, options.file + " has no label " + label +
                                          (near.empty() ? "" : "; did you mean " + prior.labels[near[0]] + "?")};
  }
  if (!options.taught) prior::clear_learnt(prior, static_cast<std::size_t>(found - prior.labels.begin()));
  if (!options.learnt) {
    decide::Taught::Parts parts = prior.taught.parts();
    parts.offsets.erase(label);
    parts.together.erase(label);
    for (auto& [other, anchors] : parts.together) anchors.erase(label);
    parts.mass.erase(label);
    prior.taught = decide::Taught(std::move(parts));
  }
  return ok();
}

Status reset_file(const ResetOptions& options) {
  Result<prior::Snapshot> read = prior::load_snapshot(options.file);
  if (!read) return read.error();
  const std::string& output = options.output.empty() ? options.file : options.output;
  if (options.output.empty() && !options.force) {
    return Error{ErrorCode::kInvalid, options.file + " has " + contents_text(*read) +
                                          ": give --force to clear them in this file, or --out for another file"};
  }
  if (const Status writable = check_output_file(output, options.force); !writable) return writable;
  prior::Snapshot prior = *std::move(read);
  for (const std::string& label : options.labels) {
    if (const Status forgotten = forget_label(prior, label, options); !forgotten) return forgotten;
  }
  if (options.labels.empty() && !options.taught) prior::clear_learnt(prior);
  if (options.labels.empty() && !options.learnt) prior.taught = {};
  if (const Status saved = prior::save_snapshot(output, prior); !saved) return saved;
  std::cout << printable(output) << " has " << contents_text(prior) << '\n';
  return ok();
}

}  // namespace

Command prior_reset(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "reset", "Clear what a prior file has learnt and was taught, all of it or for single labels. The labels stay.");
  const auto options = std::make_shared<ResetOptions>();
  command.add_option("FILE", options->file, "The prior file")->required()->type_name(" ");
  command.add_option("--label", options->labels, "Clear only this label; may be repeated")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  auto* learnt = command.add_flag("--learnt", options->learnt, "Clear only what was learnt from frames");
  command.add_flag("--taught", options->taught, "Clear only people's corrections")->excludes(learnt);
  command.add_option("-o,--out", options->output, "Write to this file, and leave FILE unchanged")->type_name("OUT");
  command.add_flag("--force", options->force, "Change FILE itself, or overwrite OUT");
  command.footer(
      "Stop streams that use the prior file first: a stream does not overwrite a file that another program has "
      "changed.\n"
      "A running bcptagger is reset with the signal reset-prior.\n\n"
      "Examples:\n  gst-bcp prior reset door.prior --force\n"
      "  gst-bcp prior reset door.prior --label cat --label dog --out without_pets.prior");
  return {&command, [options] { return reset_file(*options); }};
}

}  // namespace bcp::cli

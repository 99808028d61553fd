// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp, the command-line tool: the table of its commands, and nothing else.

#include <CLI/CLI.hpp>
#include <exception>

#include "gst-bcp/adapt/command.hpp"
#include "gst-bcp/common/program.hpp"
#include "gst-bcp/completion/bash.hpp"
#include "gst-bcp/eval/command.hpp"
#include "gst-bcp/explain/command.hpp"
#include "gst-bcp/fleet/commands.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/report/command.hpp"
#include "gst-bcp/run/command.hpp"
#include "gst-bcp/teach/command.hpp"

int main(int argc, char** argv) try {
  using namespace bcp::cli;
  CLI::App app("Tools for gst-bcp, the GStreamer plugin that labels what a video shows.", "gst-bcp");
  CLI::App& model = add_group(app, "model", "Download, list, check and calibrate models, and see what one computes");
  CLI::App& prior = add_group(app, "prior",
                              "Show, merge, compare, export and reset what streams have learnt; make a table of how "
                              "often labels occur together");
  CLI::App& fleet = add_group(app, "fleet", "Show the cameras that learn together through Redis");
  CLI::App& completion = add_group(app, "completion", "Print a completion script for a shell");
  // clang-format off
  const std::vector<Command> commands = {
      run_inputs(app),
      report_command(app),
      explain_command(app),
      teach_command(app),
      adapt_command(app),
      eval_command(app),
      model_get(model),
      model_list(model),
      model_check(model),
      model_tokens(model),
      model_preprocess(model),
      model_embed(model),
      model_calibrate(model),
      model_drift(model),
      prior_show(prior),
      prior_merge(prior),
      prior_diff(prior),
      prior_export(prior),
      prior_reset(prior),
      prior_table(prior),
      fleet_status(fleet),
      completion_bash(app, completion),
  };
  // clang-format on
  return run_program(app, commands, argc, argv);
} catch (const std::exception& error) {
  return bcp::cli::say_failure(error.what());
} catch (...) {
  return bcp::cli::say_failure("unexpected error: please report the command that you ran");
}

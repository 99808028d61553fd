// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/explain/command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "gst-bcp/explain/explanation.hpp"
#include "gst-bcp/explain/stored_results.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;
using explain::Explanation;

struct Options {
  std::string what;
  bool all = false;
};

// What is to be explained, as it was typed: FILE@TIME. A file may have an @ in its name.
Result<std::vector<Explanation>> explanations_of(const std::string& what) {
  std::error_code ignored;
  const std::size_t at = what.rfind('@');
  const std::string path = what.substr(0, at);
  if (at == std::string::npos || fs::is_regular_file(what, ignored)) {
    if (fs::exists(what, ignored)) return explain::ask_for_time(what);
    return Error{ErrorCode::kNotFound,
                 "there is no file " + what + ": give results and a time, such as results.jsonl@12.4"};
  }
  if (!fs::exists(path, ignored))
    return Error{
        ErrorCode::kNotFound,
        "there is no file " + path + ": give the results that bcppublish location=FILE, or gst-bcp run --jsonl, wrote"};
  const std::optional<explain::TypedTime> time = explain::parse_time(what.substr(at + 1));
  if (!time)
    return Error{ErrorCode::kInvalid, "\"" + what.substr(at + 1) +
                                          "\" is not a time: give seconds, or minutes and seconds, such as " + path +
                                          "@12.4 or " + path + "@1:02.5"};
  return explain::explain_stored(path, *time);
}

Status explain_to_terminal(const Options& options) {
  const Result<std::vector<Explanation>> all = explanations_of(options.what);
  if (!all) return all.error();
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (i > 0) std::cout << '\n';
    explain::print(std::cout, (*all)[i], options.all);
  }
  return ok();
}

}  // namespace

Command explain_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "explain",
      "Explain one result: for each label that is shown or nearly so its probability, its prior from what else the "
      "frame "
      "shows, its own evidence and the threshold; and the context word that explains the frame instead.");
  command
      .add_option(
          "RESULT", options->what,
          "FILE@TIME: a file that bcppublish location=FILE, or gst-bcp run --jsonl, wrote, and a time in it, in "
          "seconds or as minutes:seconds. 12.4 is the result nearest to it, rounded to tenths.")
      ->required()
      ->type_name(" ");
  command.add_flag("--all", options->all, "Explain every label of the result");
  command.footer("Example:\n  gst-bcp explain out/demo.jsonl@12.4");
  return {&command, [options] { return explain_to_terminal(*options); }};
}

}  // namespace bcp::cli

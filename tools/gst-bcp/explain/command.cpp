// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/explain/command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>

#include "base/file.hpp"
#include "gst-bcp/common/still_tagger.hpp"
#include "gst-bcp/explain/explanation.hpp"
#include "gst-bcp/explain/picture.hpp"
#include "gst-bcp/explain/stored_results.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;
using explain::Explanation;

struct ExplainOptions {
  std::string what, label;
  bool all = false;
  StillOptions still;
};

// Whether the file begins like JSON: results, not a picture.
bool is_json(const std::string& path) {
  char first = 0;
  const Status read = read_pieces(path, [&first](std::string_view piece) {
    const std::size_t at = piece.find_first_not_of(" \t\r\n");
    if (at != std::string_view::npos) first = piece[at];
    return first == 0;
  });
  return read && (first == '{' || first == '[');
}

// Options of pictures have no effect on a stored result.
Status check_stored(const CLI::App& command, const std::string& path) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_positional() && option->get_name() != "--all")
      return Error{ErrorCode::kInvalid,
                   option->get_name() + " is for pictures, but " + path + " contains results: leave it out"};
  return ok();
}

// The argument: a picture, or FILE@TIME. The name of a file may contain @.
Result<std::vector<Explanation>> explanations_of(const ExplainOptions& options, const CLI::App& command) {
  const std::string& what = options.what;
  std::error_code ignored;
  const std::size_t at = what.rfind('@');
  const std::string path = what.substr(0, at);
  if (fs::is_regular_file(what, ignored) && !is_json(what) && !what.ends_with(".jsonl")) {
    Result<Explanation> explanation = explain::explain_picture(what, options.still, options.label);
    if (!explanation) return explanation.error();
    std::vector<Explanation> all;
    all.push_back(*std::move(explanation));
    return all;
  }
  if (at == std::string::npos || fs::is_regular_file(what, ignored)) {
    if (fs::exists(what, ignored)) return explain::ask_for_time(what);
    return Error{ErrorCode::kNotFound,
                 "there is no file " + what + ": give a picture, or results and a time, such as results.jsonl@12.4"};
  }
  if (!fs::exists(path, ignored))
    return Error{ErrorCode::kNotFound, "there is no file " + path +
                                           ": give a file written by bcppublish location=FILE or gst-bcp run --jsonl"};
  if (const Status fits = check_stored(command, path); !fits) return fits.error();
  const std::optional<explain::TypedTime> time = explain::parse_time(what.substr(at + 1));
  if (!time)
    return Error{ErrorCode::kInvalid, "\"" + what.substr(at + 1) +
                                          "\" is not a time: give seconds, or minutes and seconds, such as " + path +
                                          "@12.4 or " + path + "@1:02.5"};
  return explain::explain_stored(path, *time);
}

Status explain_to_terminal(const ExplainOptions& options, const CLI::App& command) {
  const Result<std::vector<Explanation>> all = explanations_of(options, command);
  if (!all) return all.error();
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (i > 0) std::cout << '\n';
    explain::print(std::cout, (*all)[i], options.all);
  }
  return ok();
}

}  // namespace

Command explain_command(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App& command = *app.add_subcommand("explain",
                                          "Explain one result, or a picture: for each label that is shown or nearly "
                                          "shown its probability, its prior given "
                                          "the rest of the frame, its own evidence and the threshold; and the context "
                                          "words that match the frame better.");
  command
      .add_option("RESULT|PICTURE", options->what,
                  "A picture; or FILE@TIME: a file written by bcppublish location=FILE or gst-bcp run --jsonl, and a "
                  "time in seconds or as minutes:seconds. 12.4 selects the nearest result whose time rounds to 12.4")
      ->required()
      ->type_name(" ");
  command.add_flag("--all", options->all, "Explain every label");
  command
      .add_option("--label", options->label,
                  "Also show where the prior of this label comes from: the words that add most to it")
      ->type_name("LABEL");
  add_still(command, options->still);
  command
      .add_option("--prior", options->still.prior,
                  "Prior file with what people have taught (bcptagger's prior-file, gst-bcp teach)")
      ->type_name("FILE");
  command.footer(
      "All options except --all are for pictures; a stored result has its own labels and settings.\n\n"
      "Examples:\n  gst-bcp explain street.jpg --label person\n  gst-bcp explain out/demo.jsonl@12.4");
  return {&command, [options, &command] { return explain_to_terminal(*options, command); }};
}

}  // namespace bcp::cli

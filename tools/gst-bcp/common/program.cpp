// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "gst-bcp/common/table.hpp"

namespace bcp::cli {
namespace {

// The command that was given, as far as it was parsed: "gst-bcp model check".
std::string typed(const CLI::App& app) {
  const std::vector<CLI::App*> next = app.get_subcommands();
  return app.get_name() + (next.empty() ? "" : " " + typed(*next.front()));
}

// CLI11 parses an argument such as "[red, green]" as a list of two. Here it is one text: a mark is added before parsing
// and removed from the value of the option afterwards.
constexpr char kMark = '\x1f';

std::vector<std::string> marked(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  for (std::string& argument : arguments)
    if (argument.starts_with('[')) argument.insert(0, 1, kMark);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  return arguments;
}

std::string unmark(std::string& value) {
  if (value.starts_with(kMark)) value.erase(0, 1);
  return {};  // no objection
}

int say_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string sentence = error.what();
  std::erase(sentence, kMark);
  std::cerr << "gst-bcp: " << printable(sentence) << "; see: " << typed(app) << " --help\n";
  return kUsage;
}

}  // namespace

CLI::App& add_group(CLI::App& app, const std::string& name, const std::string& description) {
  CLI::App& group = *app.add_subcommand(name, description);
  group.require_subcommand(1);
  return group;
}

int say_failure(const std::string& sentence) {
  std::cout.flush();
  std::cerr << "gst-bcp: " << printable(sentence) << "\n";
  return kFailed;
}

int run_program(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv) {
  app.set_version_flag("--version", "gst-bcp " BCP_VERSION);
  app.require_subcommand(1);
  try {
    for (const Command& command : commands)
      for (CLI::Option* option : command.app->get_options())
        if (option->get_items_expected_max() > 0) option->transform(CLI::Validator(unmark, ""));
    app.parse(marked(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    return say_usage(app, error);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (command.run_to_code) {
      const int code = command.run_to_code();
      if (code != kDone) return code;
    } else if (const Status done = command.run(); !done)
      return say_failure(done.error().message);
    errno = 0;
    if (!std::cout.flush())
      return say_failure(std::string("the results could not be written to standard output: ") +
                         (errno != 0 ? std::strerror(errno) : "is it closed?"));
    return kDone;
  }
  return kUsage;  // not reached: one command is required
}

}  // namespace bcp::cli

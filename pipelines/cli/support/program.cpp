// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support/program.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "support/table.hpp"

namespace bcp::cli {
namespace {

// The command that was typed, as far as it was understood: "gst-bcp model check".
std::string typed(const CLI::App& app) {
  const std::vector<CLI::App*> next = app.get_subcommands();
  return app.get_name() + (next.empty() ? "" : " " + typed(*next.front()));
}

int say_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::cerr << "gst-bcp: " << printable(error.what()) << "; see: " << typed(app) << " --help\n";
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
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    return say_usage(app, error);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (const Status done = command.run(); !done) return say_failure(done.error().message);
    errno = 0;
    if (!std::cout.flush())
      return say_failure(std::string("what was found could not be written to standard output: ") +
                         (errno != 0 ? std::strerror(errno) : "is it closed?"));
    return kDone;
  }
  return kUsage;  // not reached: one command is required
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of gst-bcp run. What they do is in the files beside this one.
#include "run/command.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "run/request.hpp"
#include "run/session.hpp"

namespace bcp::cli {
namespace {

using run::Request;

// An option that is a property of bcptagger. The checks are the element's own.
CLI::Option* add_setting(CLI::App& command, Request& request, const std::string& option, const std::string& property,
                         const std::string& help) {
  return command.add_option_function<std::string>(
      option, [&request, property](const std::string& value) { request.tagger.emplace_back(property, value); }, help);
}

void add_outputs(CLI::App& command, Request& r) {
  const char* group = "What is written";
  command
      .add_option("--out,-o", r.out,
                  "The video with its labels drawn in (.mp4, .m4v, .mov, .mkv, .webm); DIR/ for one file an input, and "
                  "for pictures")
      ->type_name("FILE|DIR/")
      ->group(group);
  command.add_option("--jsonl", r.jsonl, "Every result, one line of JSON each; - is standard output")
      ->type_name("FILE|-")
      ->group(group);
  command.add_flag("--all-labels", r.all_labels, "Write every label to --jsonl, not only those that are shown")
      ->group(group);
  command.add_flag("--force,-f", r.force, "Replace files that are there")->group(group);
  command.add_flag("--no-overlay{false}", r.overlay, "Leave the labels out of the video")->group(group);
  command.add_flag("--compare", r.compare, "Draw plain CLIP and the corrected labels side by side")->group(group);
  command
      .add_option("--encoder", r.encoder,
                  "The GStreamer element that encodes the video (default: the best that works here)")
      ->type_name("NAME")
      ->group(group);
}

void add_labels(CLI::App& command, Request& r) {
  const char* group = "What is looked for";
  add_setting(command, r, "--model,-m", "model",
              "A model: its directory, or a name that `gst-bcp model list` shows (default: the demo)")
      ->type_name("DIR|NAME")
      ->group(group);
  add_setting(command, r, "--labels,-l", "labels", "Labels, separated by commas (default: the model's own)")
      ->type_name("TEXT")
      ->group(group);
  add_setting(command, r, "--labels-file", "labels-file", "Labels, one a line, or JSON")
      ->type_name("FILE")
      ->group(group);
  add_setting(command, r, "--threshold", "threshold", "Show a label from this probability on (default: 0.2)")
      ->type_name("0..1")
      ->group(group);
  add_setting(command, r, "--max-rate", "max-rate", "At most this many frames a second are looked at (default: all)")
      ->type_name("N")
      ->group(group);
  add_setting(command, r, "--preset", "preset", "Where the correction's values start from (default: video)")
      ->type_name("paper|video")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&r](const std::vector<std::string>& settings) {
            for (const std::string& setting : settings) {
              const std::size_t equals = setting.find('=');
              if (equals == std::string::npos || equals == 0)
                throw CLI::ValidationError("--set", "\"" + setting + "\" is not of the form property=value");
              r.tagger.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
            }
          },
          "Any property of bcptagger (gst-inspect-1.0 bcptagger); may be repeated")
      ->type_name("PROPERTY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace

Command run_inputs(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "Name what is in videos, pictures and cameras");
  const auto request = std::make_shared<Request>();
  Request& r = *request;
  command.add_option("INPUT", r.inputs, "Videos, pictures, folders of them, rtsp:// or http:// addresses, /dev/video0")
      ->required()
      ->type_name("");
  command.add_flag("--recursive,-r", r.recursive, "Look into folders in folders")->group("What is read");
  command
      .add_flag("--live", r.live,
                "Play at the pace of the clock, and leave frames out rather than fall behind (cameras always do)")
      ->group("What is read");
  add_labels(command, r);
  add_outputs(command, r);
  command.add_flag("--quiet,-q", r.quiet, "Show faults only")->group("What is shown");
  command.add_flag("--verbose,-v", r.verbose, "Show the gst-launch-1.0 line of each pipeline")->group("What is shown");
  command.add_flag("--print", r.print_only, "Print these lines and run nothing")->group("What is shown");
  Command made;
  made.app = &command;
  made.run_to_code = [request] { return run::run_session(*request); };
  return made;
}

}  // namespace bcp::cli

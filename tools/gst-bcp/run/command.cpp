// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of gst-bcp run. What they do is in the files beside this one.
#include "gst-bcp/run/command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "gst-bcp/run/plan/request.hpp"
#include "gst-bcp/run/session.hpp"

namespace bcp::cli {
namespace {

using run::Request;

// Options under one heading of --help.
class Group {
 public:
  Group(CLI::App& command, Request& request, const char* heading)
      : command_(command), request_(request), heading_(heading) {}

  void text(const std::string& names, std::string& value, const std::string& type, const std::string& help) {
    command_.add_option(names, value, help)->type_name(type)->group(heading_);
  }
  // As often as one likes.
  void texts(const std::string& name, std::vector<std::string>& values, const std::string& type,
             const std::string& help) {
    command_.add_option(name, values, help)->type_name(type)->type_size(1)->allow_extra_args(false)->group(heading_);
  }
  void flag(const std::string& names, bool& value, const std::string& help) {
    command_.add_flag(names, value, help)->group(heading_);
  }
  void seconds(const std::string& names, std::optional<double>& value, const std::string& help) {
    const auto fault = [](const std::string& text) -> std::string {
      constexpr double kYear = 365 * 24 * 3600.0;
      double seconds = 0;
      if (CLI::detail::lexical_cast(text, seconds) && seconds >= 0 && seconds <= kYear) return {};
      return "\"" + text + "\" is no time in seconds: give 0 or more, up to a year";
    };
    command_.add_option(names, value, help)->type_name("SECONDS")->check(CLI::Validator(fault, ""))->group(heading_);
  }
  // A property of bcptagger. What it may be is the element's to say.
  void property(const std::string& names, const std::string& property, const std::string& type,
                const std::string& help) {
    const auto keep = [this_request = &request_, property](const std::string& value) {
      this_request->tagger.emplace_back(property, value);
    };
    command_.add_option_function<std::string>(names, keep, help)->type_name(type)->group(heading_);
  }
  // --set property=value, as often as one likes.
  void properties(const std::string& name, const std::string& help) {
    const auto keep = [this_request = &request_, name](const std::vector<std::string>& settings) {
      for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
          throw CLI::ValidationError(name, "\"" + setting + "\" is not of the form property=value");
        this_request->tagger.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
      }
    };
    command_.add_option_function<std::vector<std::string>>(name, keep, help)
        ->type_name("PROPERTY=VALUE")
        ->type_size(1)
        ->allow_extra_args(false)
        ->group(heading_);
  }

 private:
  CLI::App& command_;
  Request& request_;
  const char* heading_;
};

void add_options(CLI::App& command, Request& r) {
  command
      .add_option("INPUT", r.inputs,
                  "Videos, pictures, folders of them, addresses (rtsp://, rtsps://, http://), /dev/video0; "
                  "NAME=ADDRESS names a "
                  "camera; - is a video on standard input, read to its end first")
      ->required()
      ->type_name("");

  Group read(command, r, "What is read");
  read.flag("--recursive,-r", r.recursive, "Look into the folders in folders too");
  read.flag("--live", r.live, "Play at the clock's pace, and never wait for the model; cameras always do");

  read.flag("--wait", r.wait, "Wait for a camera that is not there yet, instead of telling that it is not");
  read.seconds("--retry-for", r.retry_for,
               "Give a lost camera up after this time, 0 at once (default: connect again until it is back)");

  Group tls(command, r, "TLS (rtsps:// and https://)");
  tls.text("--tls-ca", r.tls_ca, "FILE", "Trust only the authorities in this PEM file (default: those of the system)");
  tls.texts("--tls-fingerprint", r.tls_fingerprints, "SHA256",
            "Accept exactly the certificate with this SHA-256 fingerprint; give it once for each camera");
  tls.flag("--tls-insecure", r.tls_insecure,
           "Accept any certificate: anyone in between can watch and change the video");

  Group seek(command, r, "What is looked for");
  seek.property("--model,-m", "model", "DIR|NAME",
                "A model: its directory, or a name that `gst-bcp model list` shows (default: mini)");
  seek.property("--labels,-l", "labels", "LABEL,LABEL...", "What to look for (default: all labels of the model)");
  seek.property("--labels-file", "labels-file", "FILE", "The same, one label a line, or JSON");
  seek.property("--decision", "decision", "presence|softmax",
                "Show labels by how likely each is present, or by its share among the labels (default: presence)");
  seek.property(
      "--threshold,-t", "threshold", "P",
      "Show a label from this probability on (default: 0.5, and 0.35 shows more; with --decision softmax 0.2)");
  seek.property("--max-rate", "max-rate", "N", "Look at no more than N frames a second (default: at all)");
  seek.property("--skip-static", "skip-static", "auto|on|off",
                "Carry labels on while the picture does not change (default: auto, on for cameras and with --live)");
  seek.property("--preset", "preset", "paper|video", "Where the values of the correction start from (default: video)");
  seek.property("--prior", "prior-file", "FILE", "Go on from what earlier runs learnt, and keep what this one learns");
  seek.property("--prior-mode", "prior-mode", "read-only|read-write|off",
                "What to do with --prior (default: read-write)");
  seek.properties("--set", "Any property of bcptagger; gst-inspect-1.0 bcptagger lists them");

  Group write(command, r, "What is written");
  write.text("--out,-o", r.out, "FILE|DIR/",
             "The video with its labels drawn in: .mp4, .m4v, .mov, .mkv or .webm; a folder for one file an input");
  write.text("--jsonl,-j", r.jsonl, "FILE", "Every result, a line of JSON each; - is standard output");
  write.text("--report", r.report, "FILE|DIR/",
             "A page about what was seen, what plain CLIP would have shown, and why");
  write.flag("--force,-f", r.force, "Replace files that are there");
  write.flag("--all-labels", r.all_labels, "Every label in --jsonl, not only those that are shown");
  write.flag("--no-overlay", r.no_overlay, "Draw nothing into the video");
  write.flag("--compare", r.compare,
             "Draw the labels of plain CLIP and those that are shown side by side, with the reasons");
  write.text("--encoder", r.encoder, "NAME", "The GStreamer element that encodes (default: the best that works here)");

  Group show(command, r, "What is shown");
  show.text(
      "--metrics", r.metrics, "PORT|ADDRESS:PORT",
      "Serve numbers for Prometheus at /metrics, to this machine only unless an address is given; 0: a free port");
  show.flag("--quiet,-q", r.quiet, "Nothing but faults");
  show.flag("--verbose,-v", r.verbose, "The gst-launch-1.0 line of each pipeline too");
  show.flag("--print", r.print_only, "Only these lines, and run nothing");
}

constexpr const char* kFooter =
    R"(Examples:
  gst-bcp run holiday.mp4                                  what is in it
  gst-bcp run holiday.mp4 --out labelled.mp4               the same, to look at
  gst-bcp run holiday.mp4 -l "dog, beach ball, sea"        other labels (a model with a text tower)
  gst-bcp run photos/ --out labelled/ --jsonl photos.jsonl
  gst-bcp run rtsp://user:password@camera/stream --jsonl -  | your-program
  cat clip.mp4 | gst-bcp run - --out labelled.mp4
  gst-bcp run *.mp4 --out labelled/ --report reports/ --prior street.prior
  gst-bcp run door=rtsp://10.0.0.7/1 yard=rtsps://10.0.0.8/1 --metrics 9100   http://127.0.0.1:9100/metrics

Videos are worked on one after the other, cameras at the same time, and all share one model. Pictures are one stream, a
second apart, in the order given. Files get their names when they are whole (a camera's --jsonl at once); Ctrl-C finishes
them, twice Ctrl-C drops them.

Exit codes: 0 all done; 1 something failed, the rest is done; 2 the command line is wrong; 130 Ctrl-C.)";

// As the kernel keeps it: the words, each ended by a zero.
std::vector<std::string> typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

Command run_inputs(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "Name what is in videos, pictures and cameras");
  const auto request = std::make_shared<Request>();
  add_options(command, *request);
  command.footer(kFooter);
  Command made;
  made.app = &command;
  made.run_to_code = [request] {
    request->command = typed_command();
    return run::run_session(*request);
  };
  return made;
}

}  // namespace bcp::cli

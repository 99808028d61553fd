// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of gst-bcp run. What they do is in the files beside this one.
#include "gst-bcp/run/command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "gst-bcp/run/plan/request.hpp"
#include "gst-bcp/run/start.hpp"

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
  // --name, or --name=VALUE; never the next word, which may be an input.
  void flag_with_value(const std::string& name, std::string& value, const std::string& usual, const std::string& help) {
    command_.add_flag(name + "{" + usual + "}", value, help)->group(heading_);
  }
  void seconds(const std::string& names, std::optional<double>& value, const std::string& help) {
    const auto fault = [](const std::string& text) -> std::string {
      constexpr double kYear = 365 * 24 * 3600.0;
      double seconds = 0;
      if (CLI::detail::lexical_cast(text, seconds) && seconds >= 0 && seconds <= kYear) return {};
      return "\"" + text + "\" is not a time in seconds: give 0 or more, up to a year";
    };
    command_.add_option(names, value, help)->type_name("SECONDS")->check(CLI::Validator(fault, ""))->group(heading_);
  }
  // A value that `parse` makes of the text.
  template <typename T>
  void parsed(const std::string& names, std::optional<T>& value, const std::string& type,
              Result<T> (*parse)(const std::string&), const std::string& help) {
    const auto keep = [&value, parse, names](const std::string& text) {
      Result<T> made = parse(text);
      if (!made) throw CLI::ValidationError(names, made.error().message);
      value = *made;
    };
    command_.add_option_function<std::string>(names, keep, help)->type_name(type)->group(heading_);
  }
  // A property of bcptagger. The element checks its value.
  void property(const std::string& names, const std::string& property, const std::string& type,
                const std::string& help) {
    const auto keep = [this_request = &request_, property](const std::string& value) {
      this_request->tagger.emplace_back(property, value);
    };
    command_.add_option_function<std::string>(names, keep, help)->type_name(type)->group(heading_);
  }
  // --set property=value, repeatable.
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
                  "Videos, pictures, folders, addresses (rtsp://, rtsps://, http://), /dev/video0; NAME=ADDRESS names "
                  "a camera; "
                  "- reads a video from standard input, to its end before processing")
      ->type_name("");
  command
      .add_option("--config", r.config,
                  "Cameras and their options from this YAML or JSON file (docs/configuration.md), instead of INPUT; "
                  "options given here take precedence; SIGHUP reads the file again")
      ->type_name("FILE")
      ->group("Input");
  command.add_flag("--check", r.check_only, "Check the --config file, print its faults and exit: 0 none, 1 some")
      ->group("Input");

  Group read(command, r, "Input");
  read.flag("--recursive,-r", r.recursive, "Include subfolders of folders");
  read.flag("--live", r.live,
            "Play in real time, and skip frames instead of waiting for the model; always on for cameras");

  read.flag("--wait", r.wait, "Keep retrying if a camera is unreachable at start (default: report an error)");
  read.seconds("--retry-for", r.retry_for,
               "Give up a lost camera after this time; 0: at once (default: retry for ever)");

  Group tls(command, r, "TLS (rtsps:// and https://)");
  tls.text("--tls-ca", r.tls_ca, "FILE", "Trust only the authorities in this PEM file (default: those of the system)");
  tls.texts("--tls-fingerprint", r.tls_fingerprints, "SHA256",
            "Accept exactly the certificate with this SHA-256 fingerprint; give it once for each camera");
  tls.flag("--tls-insecure", r.tls_insecure,
           "Accept any certificate: anyone in between can watch and change the video");

  Group seek(command, r, "Labels");
  seek.property("--model,-m", "model", "DIR|NAME",
                "A model: its directory, or a name that `gst-bcp model list` shows (default: mini)");
  seek.property("--labels,-l", "labels", "LABEL,LABEL...", "Labels to detect (default: all labels of the model)");
  seek.property("--labels-file", "labels-file", "FILE", "Labels from a file: one per line, or JSON");
  seek.property(
      "--decision", "decision", "presence|softmax",
      "presence: the probability that each label is present; softmax: its share among all labels (default: presence)");
  seek.property("--threshold,-t", "threshold", "P",
                "Show labels with at least this probability, 0 to 1 (default: 0.5; 0.2 with --decision softmax)");
  seek.property("--max-rate", "max-rate", "N", "Process at most N frames per second (default: every frame)");
  seek.property("--skip-static", "skip-static", "auto|on|off",
                "Reuse the labels while the picture does not change (default: auto: on for cameras and with --live)");
  seek.property(
      "--preset", "preset", "paper|video",
      "Defaults of the correction's settings: paper is the published method, video is tuned for cameras (default: "
      "video)");
  seek.property("--prior", "prior-file", "FILE",
                "Load what earlier runs learnt from this file, and save what this run learns");
  seek.property("--prior-mode", "prior-mode", "read-only|read-write|off",
                "How to use the --prior file (default: read-write)");
  seek.properties("--set", "Set any property of bcptagger; gst-inspect-1.0 bcptagger lists them");

  Group write(command, r, "Files to write");
  write.text("--out,-o", r.out, "FILE|DIR/",
             "The video with its labels drawn: .mp4, .m4v, .mov, .mkv or .webm; a folder gets one file per input");
  write.text("--jsonl,-j", r.jsonl, "FILE", "All results, one line of JSON each; - is standard output");
  write.text("--report", r.report, "FILE|DIR/", "An HTML page: the labels, what plain CLIP would have shown, and why");
  write.flag("--force,-f", r.force, "Replace existing files");
  write.flag("--all-labels", r.all_labels, "Write all labels to --jsonl, not only those that are shown");
  write.flag("--no-overlay", r.no_overlay, "Do not draw labels in the video");
  write.flag("--compare", r.compare,
             "Draw the labels of plain CLIP and the shown labels side by side, with the reasons");
  write.text("--encoder", r.encoder, "NAME",
             "The GStreamer element that encodes the video (default: the best one that works here)");

  Group record(command, r, "Recordings of cameras");
  record.text("--record", r.record.folder, "DIR",
              "Record each camera into DIR/NAME/ as it is sent, without encoding it again, with its labels beside each "
              "file; files can be played while they are written and after a crash");
  record.seconds("--record-segment", r.record.segment, "Length of a file (default: 300)");
  record.text("--record-format", r.record.container, "mp4|mkv", "Fragmented MP4 or Matroska (default: mp4)");
  record.text("--record-when", r.record.when, "CONDITION",
              "Record clips while this is true of the labels: 'person and not car', '\"delivery van\" or truck', "
              "'person > 0.7' (default: record all the time)");
  command.get_option("--record-when")->check([](const std::string& condition) {
    return condition.empty() ? "the condition is empty: give labels, as in --record-when person" : "";
  });
  record.seconds(
      "--record-before", r.record.before,
      "What a clip has from before the condition became true, and from the key frame before that (default: 5)");
  record.seconds("--record-after", r.record.after,
                 "What a clip has from after the condition was last true (default: 10)");
  record.parsed("--record-keep-for", r.record.keep_for, "TIME", run::parse_time_span,
                "Remove older files: seconds, or as in 12h or 30d (default: keep all)");
  record.parsed("--record-keep-size", r.record.keep_bytes, "SIZE", run::parse_size,
                "Remove the oldest files of a camera when its files are more than this: bytes, or as in 500M or 10G "
                "(default: keep all)");

  Group broker(command, r, "MQTT and Home Assistant");
  broker.text("--mqtt", r.mqtt.address, "ADDRESS",
              "Send events to this broker: mqtt://[user@]host[:port], or mqtts:// for TLS");
  broker.text("--mqtt-password-file", r.mqtt.password_file, "FILE",
              "The user's password is the first line of this file (default: the variable GST_BCP_MQTT_PASSWORD)");
  broker.text("--mqtt-ca", r.mqtt.ca_file, "FILE",
              "Trust the authorities in this PEM file, and no others (default: those of the system)");
  broker.text("--mqtt-topic", r.mqtt.topic, "TOPIC",
              "The first part of all topics; give each run its own (default: gst-bcp)");
  broker.flag_with_value("--mqtt-discovery", r.mqtt.discovery_prefix, "homeassistant",
                         "Announce the cameras to Home Assistant, under homeassistant or =PREFIX");
  broker.flag("--mqtt-images", r.mqtt.images, "Also send a picture of the newest event of each camera");
  broker.flag("--mqtt-control", r.mqtt.control, "Accept new labels from the broker, for each camera");

  Group page(command, r, "Live page");
  page.text("--view", r.view.address, "PORT|ADDRESS:PORT",
            "Serve a page with live pictures, labels and settings of all inputs; without ADDRESS to this machine only; "
            "port 0: a free port");
  page.text("--view-password-file", r.view.password_file, "FILE",
            "The page asks for the password in the first line of this file; needed for addresses other than this "
            "machine's own");
  page.texts("--view-host", r.view.hosts, "NAME",
             "Also accept requests for this host name, for example that of a proxy in front; repeatable");

  Group show(command, r, "Messages and metrics");
  show.text("--metrics", r.metrics, "PORT|ADDRESS:PORT",
            "Serve metrics for Prometheus at /metrics; without ADDRESS to this machine only; port 0: a free port");
  show.flag("--quiet,-q", r.quiet, "Print errors only");
  show.flag("--verbose,-v", r.verbose, "Also print the gst-launch-1.0 line of each pipeline");
  show.flag("--print", r.print_only, "Print the gst-launch-1.0 lines and exit");
}

constexpr const char* kFooter =
    R"(Examples:
  gst-bcp run holiday.mp4                                  print the labels
  gst-bcp run holiday.mp4 --out labelled.mp4               draw the labels
  gst-bcp run holiday.mp4 -l "dog, beach ball, sea"        other labels (a model with a text tower)
  gst-bcp run photos/ --out labelled/ --jsonl photos.jsonl
  gst-bcp run rtsp://user:password@camera/stream --jsonl -  | your-program
  cat clip.mp4 | gst-bcp run - --out labelled.mp4
  gst-bcp run *.mp4 --out labelled/ --report reports/ --prior street.prior
  gst-bcp run --config cameras.yaml                        the cameras of a file
  gst-bcp run door=rtsp://10.0.0.7/1 yard=rtsps://10.0.0.8/1 --metrics 9100   http://127.0.0.1:9100/metrics
  gst-bcp run door=rtsp://10.0.0.7/1 --view 8080           watch and teach it at http://127.0.0.1:8080/

Videos are processed one after the other, cameras at the same time; all share one model. Pictures are one stream, one
second apart, in the order given. Files get their names when they are complete (a camera's --jsonl at once). Ctrl-C ends the
run and keeps the files; a second Ctrl-C removes them.

Exit codes: 0 all done; 1 something failed, the rest is done; 2 the command line is wrong; 130 Ctrl-C.)";

// From /proc: the words, each ended by a zero byte.
std::vector<std::string> typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

Command run_inputs(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "Label videos, pictures and cameras");
  const auto request = std::make_shared<Request>();
  add_options(command, *request);
  command.footer(kFooter);
  Command made;
  made.app = &command;
  made.run_to_code = [request] {
    request->command = typed_command();
    return run::start_run(*request);
  };
  return made;
}

}  // namespace bcp::cli

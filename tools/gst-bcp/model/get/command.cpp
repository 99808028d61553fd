// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model get: downloads a model, verifies it and installs it under its name.

#include <CLI/CLI.hpp>
#include <future>
#include <iostream>
#include <memory>

#include "gst-bcp/common/interrupt.hpp"
#include "gst-bcp/common/program.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/model/get/display.hpp"
#include "gst-bcp/model/get/get.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli {
namespace {

using namespace get;

struct Line {
  std::vector<std::string> words;
  get::Options options;
  bool quiet = false;
};

Status check_line(const Source& source, const get::Options& options) {
  const bool repository = std::holds_alternative<RepositorySource>(source);
  const bool checkpoint = std::holds_alternative<Checkpoint>(source);
  const auto misplaced = [](const std::string& option, const std::string& why) {
    return Error{ErrorCode::kInvalid, option + " " + why};
  };
  if (repository && !options.sums.empty())
    return misplaced("--sha256",
                     "is for checkpoints and addresses: a repository has its own checksums; pin "
                     "its commit with hf:OWNER/NAME@COMMIT");
  if (!checkpoint && (options.keep || options.no_export || !options.base_url.empty()))
    return misplaced("--base-url, --keep and --no-export", "are for OpenAI's checkpoints, as in openai:ViT-B/32");
  if (std::holds_alternative<AddressSource>(source) && (!options.variants.empty() || !options.files.empty()))
    return misplaced("--variant and --file", "are for repositories: with addresses, list the files themselves");
  return ok();
}

Result<Got> get_source(const Source& source, const get::Options& options, Watch& watch) {
  if (const auto* repository = std::get_if<RepositorySource>(&source))
    return get_repository(*repository, options, watch);
  if (const auto* checkpoint = std::get_if<Checkpoint>(&source)) return get_checkpoint(*checkpoint, options, watch);
  return get_addresses(std::get<AddressSource>(source), options, watch);
}

// Runs the work while showing progress, and ends it on Ctrl-C.
Result<Got> run_and_show(const Source& source, const Line& line) {
  using namespace std::chrono_literals;
  const Interrupt interrupt;
  Watch watch;
  Display display(line.quiet);
  std::future<Result<Got>> work =
      std::async(std::launch::async, [&] { return get_source(source, line.options, watch); });
  while (work.wait_for(100ms) != std::future_status::ready) {
    display.update(watch);
    if (Interrupt::came()) watch.stop();
  }
  display.update(watch);
  return work.get();
}

std::string quoted(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "\"" + text + "\"";
}

int run(const Line& line) {
  const Result<HubSettings> settings = HubSettings::from_environment();
  if (!settings) return say_failure(settings.error().message);
  const Result<Source> source = parse_source(line.words, settings->endpoint);
  if (!source) return say_failure(source.error().message);
  if (const Status fine = check_line(*source, line.options); !fine) return say_failure(fine.error().message);
  const Result<Got> got = run_and_show(*source, line);
  if (!got && is_interrupted(got.error())) {
    std::cerr << "gst-bcp: interrupted: downloaded data is kept, and the same command resumes\n";
    return kInterrupted;
  }
  if (!got) return say_failure(got.error().message);
  for (const std::string& text : got->lines) std::cout << text << '\n';
  if (!got->model.empty())
    std::cout << "Try it: gst-launch-1.0 -q filesrc location=street.mp4 ! decodebin ! bcptagger model="
              << quoted(got->model) << " labels=\"tram, cargo bike\" ! bcppublish location=- ! fakesink\n";
  return kDone;
}

CLI::Validator is_sha256() {
  const auto check = [](std::string& text) -> std::string {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return is_hex(text, 64) ? std::string() : text + " is not a sha256, which has 64 digits from 0 to f";
  };
  return CLI::Validator(check, "", "sha256");
}

std::string variant_choice() {
  std::string all;
  for (const std::string& name : variant_names()) all += (all.empty() ? "" : "|") + name;
  return all;
}

void add_number(CLI::App& command, const std::string& name, int& value, int most, const std::string& help) {
  command.add_option(name, value, help + " (default: " + std::to_string(value) + ")")
      ->check(CLI::Range(name == "--retries" ? 0 : 1, most).description(""))
      ->type_name("N");
}

void add_options(CLI::App& command, Line& line) {
  get::Options& options = line.options;
  command
      .add_option(
          "SOURCE", line.words,
          "A name that `gst-bcp model list` shows, hf:OWNER/NAME[@REVISION], openai:NAME, or the https addresses "
          "of a model's files")
      ->required()
      ->type_name("NAME|hf:OWNER/NAME|URL");
  command
      .add_option(
          "--variant", options.variants,
          "For a repository: the precision of its ONNX files (default: the most precise one). For a checkpoint: "
          "also make NAME-fp16 or NAME-int8; may be repeated")
      ->check(CLI::IsMember(variant_names()).description(""))
      ->type_name(variant_choice())
      ->allow_extra_args(false);
  command.add_option("--name", options.name, "Install the model under this name (default: the name of the source)")
      ->type_name("NAME");
  command
      .add_option("--into", options.into,
                  "Install the model in this directory (default: $XDG_DATA_HOME/gst-bcp/models, usually "
                  "~/.local/share/gst-bcp/models)")
      ->type_name("DIR");
  command
      .add_option(
          "--file", options.files,
          "Use this file of the repository: an ONNX file replaces those found by name, others are added; may be "
          "repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command
      .add_option("--sha256", options.sums,
                  "The checksum of each address, in the same order; for a checkpoint: use your own weights instead of "
                  "OpenAI's")
      ->check(is_sha256())
      ->type_name("SUM")
      ->allow_extra_args(false);
  command.add_option("--licence", options.licence, "The licence of your own weights (with --sha256)")
      ->type_name("TEXT");
  command
      .add_option("--base-url", options.base_url,
                  "A mirror of OpenAI's checkpoints: URL/SHA256/FILE is tried first, then URL/FILE")
      ->type_name("URL");
  command.add_flag("--keep", options.keep,
                   "Keep the checkpoint in $XDG_CACHE_HOME/gst-bcp/checkpoints after the export");
  command.add_flag("--no-export", options.no_export, "Stop after the checkpoint is verified, and print its path");
  command.add_flag("--again", options.again, "Replace an installed model");
  command.add_flag("--dry-run", options.dry_run, "Show which files would be downloaded, their sizes and the licence");
  add_number(command, "--connections", options.transfer.connections, 16,
             "Number of files to download at the same time");
  add_number(command, "--retries", options.transfer.retries, 100,
             "Number of attempts in a row without any data before giving up");
  add_number(command, "--timeout", options.transfer.timeout, 3600,
             "Seconds without data before a connection is closed");
  command.add_flag("-q,--quiet", line.quiet, "Show no progress");
}

}  // namespace

Command model_get(CLI::App& group) {
  const auto line = std::make_shared<Line>();
  CLI::App& command = *group.add_subcommand(
      "get",
      "Download a model, verify it and install it under its name. The next run resumes an interrupted download.");
  add_options(command, *line);
  command.footer(
      "Examples:\n  gst-bcp model get clip-vit-b32\n  gst-bcp model get siglip2-base --variant q8\n"
      "  gst-bcp model get hf:immich-app/ViT-B-32__openai\n  gst-bcp model get openai:RN50 --variant fp16\n"
      "  gst-bcp model get --name mine https://example.org/visual.onnx https://example.org/textual.onnx\n"
      "Environment: HF_TOKEN for gated and private repositories, HF_ENDPOINT for a mirror, HF_HOME or HF_HUB_CACHE for "
      "the\ncache, which Python's huggingface_hub shares, HF_HUB_OFFLINE=1 to use only the cache; https_proxy;\n"
      "GST_BCP_PYTHON for a Python with PyTorch.");
  return {&command, {}, [line] { return run(*line); }};
}

}  // namespace bcp::cli

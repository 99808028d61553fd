// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp eval: measures how well a model ranks pictures by label, with and without correction.

#include "gst-bcp/eval/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "eval/evaluate.hpp"
#include "gst-bcp/common/interrupt.hpp"
#include "gst-bcp/common/program.hpp"
#include "gst-bcp/common/progress.hpp"
#include "gst-bcp/eval/csv.hpp"
#include "gst-bcp/eval/json.hpp"
#include "gst-bcp/eval/options.hpp"
#include "gst-bcp/eval/page.hpp"
#include "gst-bcp/eval/source.hpp"
#include "gst-bcp/eval/terminal.hpp"

namespace bcp::cli {
namespace {

// All input files, so that none is overwritten.
std::vector<std::string> inputs_of(const EvalOptions& options) {
  std::vector<std::string> inputs;
  for (const std::string* path : {&options.files.logits, &options.files.embeddings, &options.files.text, &options.truth,
                                  &options.names, &options.order, &options.dataset.list, &options.presence.context_text,
                                  &options.presence.context_names, &options.presence.prior_table})
    if (!path->empty()) inputs.push_back(target_of(*path));
  return inputs;
}

// Checked before the work begins, not after it.
Status check_outputs(const EvalOptions& options) {
  std::vector<std::string> taken = inputs_of(options);
  for (const std::string& path : {options.json, options.csv, options.html}) {
    if (path.empty() || path == kStandardOutput) continue;
    const std::string target = target_of(path);
    if (std::find(taken.begin(), taken.end(), target) != taken.end())
      return Error{ErrorCode::kInvalid, path + " is given twice and would be overwritten: give another file"};
    taken.push_back(target);
    if (const Status replaceable = check_replaceable(path); !replaceable) return replaceable;
  }
  return ok();
}

// Bars on a terminal for long work; nothing elsewhere.
class Watch {
 public:
  Watch() : progress_(style()) {}

  void operator()(double fraction, const std::string& what) {
    using namespace std::chrono_literals;
    const auto now = Clock::now();
    if (now - start_ < 1s || now - shown_ < 100ms) return;
    shown_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    JobLine line;
    line.fraction = fraction;
    line.remaining = fraction > 0 ? elapsed * (1 - fraction) / fraction : -1;
    line.labels = what;
    progress_.show({{0, line}});
  }

 private:
  using Clock = std::chrono::steady_clock;
  static Progress::Style style() {
    const auto fitting = Progress::fitting_style(false);
    return fitting == Progress::Style::kBars ? fitting : Progress::Style::kNone;
  }

  Progress progress_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = {};
};

// With `--adapter all`: the methods whose inputs are available. A warning lists the others.
std::vector<eval::MethodKind> adapters_of(const EvalOptions& options, EvalSource& source) {
  std::vector<eval::MethodKind> adapters = options.adapters;
  if (!options.all_adapters) return adapters;
  std::string missing;
  for (const eval::MethodInfo& info : eval::method_kinds()) {
    const bool fits =
        (!info.wants_embeddings || source.stream.has_embeddings()) && (!info.wants_text || source.stream.has_text());
    if (fits)
      adapters.push_back(info.kind);
    else
      missing += (missing.empty() ? "" : ", ") + std::string(info.name);
  }
  if (!missing.empty())
    source.warnings.push_back("these methods are skipped because they need embeddings, which were not given: " +
                              missing);
  return adapters;
}

// With `--protocol all`: those that the selected methods support. A warning lists the others.
std::vector<eval::Protocol> protocols_of(const EvalOptions& options, const std::vector<eval::MethodKind>& adapters,
                                         EvalSource& source) {
  std::vector<eval::Protocol> protocols = options.protocols;
  if (!options.all_protocols) return protocols;
  const bool bcp = std::find(adapters.begin(), adapters.end(), eval::MethodKind::kBcp) != adapters.end();
  std::string missing;
  for (const eval::ProtocolInfo& info : eval::protocols()) {
    if (std::find(protocols.begin(), protocols.end(), info.protocol) != protocols.end()) continue;
    if (bcp || !info.wants_bcp)
      protocols.push_back(info.protocol);
    else
      missing += (missing.empty() ? "" : ", ") + std::string(info.name);
  }
  if (!missing.empty())
    source.warnings.push_back("these protocols are skipped because they need BCP, which is not selected: " + missing);
  return protocols;
}

Status write(const std::string& path, const std::string& text) {
  if (path.empty()) return ok();
  if (path != kStandardOutput) return replace_file(path, text);
  std::cout << text;
  return ok();
}

bool has_bcp(const EvalOptions& options) {
  const auto& adapters = options.adapters;
  return options.all_adapters || std::find(adapters.begin(), adapters.end(), eval::MethodKind::kBcp) != adapters.end();
}

// All checks that are possible before pictures are encoded, which may take hours.
Status check_request(const EvalOptions& options) {
  if (const Status writable = check_outputs(options); !writable) return writable;
  const auto& protocols = options.protocols;
  const bool embeddings = !options.dataset.dataset.empty() || !options.files.embeddings.empty(),
             times = options.all_protocols ||
                     std::find(protocols.begin(), protocols.end(), eval::Protocol::kVideo) != protocols.end();
  const Status novelty =
      check_novelty(options.bcp, {.embeddings = embeddings, .times = times, .time_option = "--protocol video"});
  if (!novelty) return novelty;
  if (const Status fits = eval::check(protocols, has_bcp(options)); !fits) return fits;
  if (options.order.empty()) return ok();
  const Result<NpyReader> order = NpyReader::open(options.order);
  return order ? ok() : Status(order.error());
}

// The settings to reproduce it, besides the source.
void add_presence_settings(const PresenceOptions& options, nlohmann::ordered_json& settings) {
  const auto name = [&settings](const char* key, const std::string& path) {
    if (!path.empty()) settings["files"][key] = path;
  };
  name("context-text", options.context_text);
  name("context-names", options.context_names);
  name("prior-table", options.prior_table);
}

// The options that were given, else the model's own settings.
eval::PresenceSettings with_model(eval::PresenceSettings asked, const PresenceOptions& options,
                                  const EvalSource& source) {
  asked.aliases = source.aliases;
  if (!source.presence) return asked;
  if (options.context_text.empty()) {
    asked.context = source.presence->context;
    asked.context_text = source.presence->context_text;
  }
  if (!options.prior_strength) asked.encoder.strength = source.presence->encoder.strength;
  if (!options.scale) asked.encoder.scale = source.presence->encoder.scale;
  asked.encoder.cut = source.presence->encoder.cut;
  return asked;
}

Status evaluate(const EvalOptions& options) {
  if (const Status sound = check_request(options); !sound) return sound;
  Result<eval::PresenceSettings> presence = eval::load_presence({.context_text = options.presence.context_text,
                                                                 .context_names = options.presence.context_names,
                                                                 .table = options.presence.prior_table},
                                                                options.presence.encoder());
  if (!presence) return presence.error();
  Result<EvalSource> source = options.dataset.dataset.empty() ? open_arrays(options) : open_dataset(options);
  if (!source) return source.error();
  add_presence_settings(options.presence, source->settings);
  const std::vector<eval::MethodKind> adapters = adapters_of(options, *source);
  const std::vector<eval::Protocol> protocols = protocols_of(options, adapters, *source);
  eval::Request request;
  request.names = source->names;
  request.preset = options.bcp.preset;
  request.settings = options.bcp.settings();
  request.adapters = adapters;
  request.protocols = protocols;
  request.seed = options.seed;
  request.presence = with_model(std::move(*presence), options.presence, *source);
  source->settings["prior-strength"] = request.presence.encoder.strength;
  source->settings["presence-scale"] = request.presence.encoder.scale;
  source->settings["context-words"] = request.presence.context.size();
  request.video.dwell.shots = options.video_shots;
  if (!options.order.empty()) {
    Result<std::vector<eval::Order>> orders = eval::load_orders(options.order, source->truth.samples);
    if (!orders) return orders.error();
    request.orders = std::move(*orders);
    source->settings["files"]["order"] = options.order;
  }

  auto watch = std::make_unique<Watch>();
  Result<eval::Results> results =
      eval::evaluate(request, source->stream, source->truth,
                     [&watch](double fraction, const std::string& what) { (*watch)(fraction, what); });
  watch.reset();  // removes the bar before anything is printed
  if (!results) return results.error();
  results->settings.update(source->settings);
  results->settings["score"] = name_of(options.score);
  results->settings["difficult"] = name_of(options.difficult);
  results->warnings.insert(results->warnings.begin(), source->warnings.begin(), source->warnings.end());

  if (const Status written = write(options.json, json_text(*results)); !written) return written;
  if (const Status written = write(options.csv, csv_text(*results)); !written) return written;
  if (!options.html.empty())
    if (const Status written = write_eval_page(options.html, json_of(*results)); !written) return written;
  if (options.json != kStandardOutput && options.csv != kStandardOutput)
    print_results(std::cout, *results, {.first = options.score, .width = terminal_columns()});
  return ok();
}

}  // namespace

Command eval_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "eval",
      "Measure how well a model ranks pictures by label, plain and corrected: mAP, and the tables of the paper. Every "
      "figure is given for both rankings, by logits and by softmax.");
  const auto options = std::make_shared<EvalOptions>();
  add_eval_options(command, *options);
  std::string footer = "Protocols:\n";
  for (const eval::ProtocolInfo& info : eval::protocols()) {
    std::string name = info.name;
    name.resize(20, ' ');
    footer += "  " + name + info.summary + "\n";
  }
  command.footer(
      footer +
      "\nExamples:\n"
      "  gst-bcp eval --logits logits.npy --truth truth.npy --names labels.txt --protocol all --html out.html\n"
      "  gst-bcp eval --dataset voc2007 --root VOCdevkit --model clip-vit-b16");
  const auto run = [options] {
    const Status done = evaluate(*options);
    if (done) return kDone;
    say_failure(done.error().message);
    return Interrupt::came() ? kInterrupted : kFailed;
  };
  return {&command, {}, run};
}

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/start.hpp"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/program.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/mqtt_observer.hpp"
#include "gst-bcp/run/plan/certificates.hpp"
#include "gst-bcp/run/plan/plan.hpp"
#include "gst-bcp/run/plan/plugin.hpp"
#include "gst-bcp/run/recording.hpp"
#include "gst-bcp/run/session.hpp"
#include "gst-bcp/run/show/metrics_page.hpp"
#include "gst-bcp/run/view_observer.hpp"

namespace bcp::cli::run {
namespace {

int say_usage(const Error& error) {
  // Below a sentence about a condition are the condition and a pointer to the character.
  const std::size_t end = std::min(error.message.find('\n'), error.message.size());
  say_failure(error.message.substr(0, end) + "; see: gst-bcp run --help");
  for (std::size_t at = end + 1; at < error.message.size();) {
    const std::size_t next = std::min(error.message.find('\n', at), error.message.size());
    std::cerr << "  " << printable(error.message.substr(at, next - at)) << "\n";
    at = next + 1;
  }
  return kUsage;
}

ResultsFile::Use use_of(const std::vector<Input>& inputs) {
  if (runs_at_once(inputs)) return ResultsFile::Use::kShared;
  return inputs.front().kind == InputKind::kLive ? ResultsFile::Use::kOpenEnded : ResultsFile::Use::kInTurn;
}

int run_plan(const Request& request, const std::vector<Input>& inputs, std::optional<Config> config,
             const Request& given) {
  // A file may get cameras with TLS later.
  if (const Status fit = prepare_tls(request, inputs, config.has_value()); !fit) return say_usage(fit.error());
  if (const Status found = find_plugin(); !found) return say_failure(found.error().message);
  if (const Status fit = check_settings(request.tagger); !fit) return say_usage(fit.error());
  Result<std::vector<Task>> tasks = plan(request, inputs);
  if (!tasks) return say_failure(tasks.error().message);
  // A file of cameras may get more of them later, and is often that of a service, which restarts.
  Result<ResultsFile> results = ResultsFile::claim(request.print_only ? "" : request.jsonl,
                                                   config ? ResultsFile::Use::kContinued : use_of(inputs),
                                                   {.force = request.force, .inputs = files_of(inputs)});
  if (!results) return say_failure(results.error().message);
  RunMetrics metrics(tasks->size());
  const Result<std::unique_ptr<HttpServer>> server = serve_metrics(request, metrics);
  if (!server) return say_failure(server.error().message);
  std::vector<std::unique_ptr<Observer>> observers;
  if (!request.print_only) observers.push_back(observe_recordings());
  if (!request.mqtt.address.empty() && !request.print_only) {
    Result<std::unique_ptr<Observer>> broker = follow_with_mqtt(request.mqtt);
    if (!broker) return say_failure(broker.error().message);
    observers.push_back(*std::move(broker));
  }
  if (!request.view.address.empty() && !request.print_only) {
    Result<std::unique_ptr<Observer>> page = serve_view(request.view, request.quiet);
    if (!page) return say_failure(page.error().message);
    observers.push_back(*std::move(page));
  }
  return run_session(request, given,
                     {.tasks = *std::move(tasks),
                      .results = *std::move(results),
                      .observers = std::move(observers),
                      .config = std::move(config)},
                     metrics);
}

int run_config(const Request& given) {
  if (!given.inputs.empty())
    return say_usage(invalid("INPUT and --config exclude each other: add the camera to " + given.config));
  if (const Status found = find_plugin(); !found) return say_failure(found.error().message);
  if (const Status fit = check_settings(given.tagger); !fit) return say_usage(fit.error());
  ConfigRead read = read_config(given);
  for (const std::string& fault : read.faults) std::cerr << fault << '\n';
  if (!read.faults.empty())
    return say_failure(given.config + " has " + counted(read.faults.size(), "fault") +
                       (given.check_only ? "" : ": nothing was started"));
  if (given.check_only) {
    if (!given.quiet)
      std::cout << given.config << ": " << counted(read.config.inputs.size(), "camera") << ", no fault\n";
    return kDone;
  }
  const Config config = read.config;
  // `read` keeps the model loaded until the run has it.
  return run_plan(config.request, config.inputs, std::move(read.config), given);
}

}  // namespace

int start_run(const Request& request) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe must not leave incomplete files behind
  if (!request.config.empty()) return run_config(request);
  if (request.check_only) return say_usage(invalid("--check is about a file of cameras: add --config FILE"));
  if (request.inputs.empty()) return say_usage(invalid("INPUT is required: give a video, a picture or a camera"));
  const Result<std::vector<Input>> inputs = find_inputs(request.inputs, request.live, request.recursive);
  if (!inputs) return say_failure(inputs.error().message);
  if (const Status fit = check_usage(request, *inputs); !fit) return say_usage(fit.error());
  return run_plan(request, *inputs, std::nullopt, request);
}

}  // namespace bcp::cli::run

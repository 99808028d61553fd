// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/session.hpp"

#include <glib.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "gst-bcp/common/program.hpp"
#include "gst-bcp/common/progress.hpp"
#include "gst-bcp/common/worker.hpp"
#include "gst-bcp/run/camera/live_source.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/pipeline/metrics.hpp"
#include "gst-bcp/run/pipeline/results_file.hpp"
#include "gst-bcp/run/plan/certificates.hpp"
#include "gst-bcp/run/plan/plan.hpp"
#include "gst-bcp/run/plan/plugin.hpp"
#include "gst-bcp/run/show/metrics_page.hpp"
#include "gst-bcp/run/show/report.hpp"
#include "gst-bcp/run/show/summary.hpp"
#include "gst-bcp/run/signals.hpp"

namespace bcp::cli::run {
namespace {

constexpr guint kRefreshMilliseconds = 100;
constexpr std::chrono::milliseconds kGoodbye{500};  // for closing the connections to cameras

bool standard_output_is_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLNVAL)) != 0;
}

class Session final : Job::Listener {
 public:
  Session(const Request& request, std::vector<Task> tasks, ResultsFile results, RunMetrics& metrics)
      : request_(request),
        metrics_(metrics),
        total_(tasks.size()),
        results_(std::move(results)),
        progress_(Progress::fitting_style(request.quiet)),
        summary_(request, total_, progress_) {
    for (Task& task : tasks) (task.input.kind == InputKind::kLive ? live_ : queue_).push_back(std::move(task));
  }
  ~Session() { g_main_loop_unref(loop_); }

  int run() {
    const Signals signals([this] { interrupt(); }, [this] { stop(); });
    const guint timer = g_timeout_add(
        kRefreshMilliseconds, [](gpointer self) -> gboolean { return static_cast<Session*>(self)->refresh(), TRUE; },
        this);
    start_next();
    while (!live_.empty()) start(pop(live_));
    if (!jobs_.empty()) g_main_loop_run(loop_);
    g_source_remove(timer);
    progress_.show({});
    ended_.clear();
    LiveSource::wait_for_closing(kGoodbye);
    MediaProbe::wait_for_all(kGoodbye);
    report_lost_results();
    if (stopped_) return kInterruptedCode;  // results_ removes its incomplete file
    const Status done = results_.commit();
    if (!done) fail(done.error().message);
    if (done && results_.is_kept()) summary_.add_file(request_.jsonl);
    summary_.print();
    if (interrupted_) return kInterruptedCode;
    return failures_ > 0 ? kFailed : kDone;
  }

 private:
  struct Running {
    std::unique_ptr<Job> job;
    std::vector<ShownLabel> labels;  // of the newest frame
    bool reporting = false;          // it has ended, and its page is being made
  };

  static Task pop(std::deque<Task>& tasks) {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }

  // Videos and pictures run one after the other.
  void start_next() {
    while (!queue_.empty() && !start(pop(queue_))) {
    }
  }

  bool start(Task task) {
    const std::size_t id = started_++;
    if (!task.input.fault.empty()) {
      metrics_.end(true);
      return fail(task.input.fault);
    }
    if (!load_model()) return false;
    if (keeper_)
      for (const Setting& setting : keeper_->settings()) task.recipe.tagger.push_back(setting);
    if (results_.wanted()) {
      const Result<ResultsFile::Place> place = results_.begin_job(id);
      if (!place) return fail(place.error().message);
      task.recipe.jsonl = place->location;
      task.recipe.append = place->append;
    } else {
      task.recipe.jsonl = request_.jsonl;  // nothing is written, only printed
    }
    task.metrics = metrics_.begin(task.recipe.source_id);
    Running& running = jobs_[id];
    running.job = std::make_unique<Job>(std::move(task), static_cast<Job::Listener&>(*this));
    running.job->start();
    return true;
  }

  // Once, before the first job that needs the model, so that jobs share it. False: loading failed, and was reported.
  bool load_model() {
    if (keeper_ || request_.print_only || total_ == 1) return true;
    Result<ModelKeeper> keeper = ModelKeeper::open(request_.tagger);
    if (keeper) {
      keeper_ = std::make_unique<ModelKeeper>(std::move(*keeper));
      return true;
    }
    queue_.clear();
    live_.clear();
    return fail(keeper.error().message);
  }

  bool fail(const std::string& sentence) {
    ++failures_;
    progress_.say("gst-bcp: " + sentence);
    return false;
  }

  std::map<std::size_t, Running>::iterator find(const Job& job) {
    return std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) { return entry.second.job.get() == &job; });
  }

  void on_line(Job&, const std::string& line) override {
    if (request_.print_only)
      progress_.print(line);
    else if (request_.verbose)
      progress_.say("$ " + line);
  }

  void on_seen(Job& job, const Seen& seen) override {
    find(job)->second.labels = seen.labels;
    // The labels of a picture are a result; those of a video change with every frame.
    if (job.task().input.kind == InputKind::kPictures && !request_.quiet && request_.jsonl != "-")
      progress_.print(seen.source + ": " + text_of(seen));
  }

  void on_remark(Job&, const std::string& sentence) override {
    progress_.say("gst-bcp: " + sentence);
    end_unless_read();
  }

  // The reader of the results has gone, and no other output is left.
  void end_unless_read() {
    if (request_.jsonl != "-" || !request_.out.empty() || !request_.report.empty() || !standard_output_is_gone())
      return;
    ++failures_;
    finish_jobs();
  }

  // With several inputs at once, other threads write the results.
  void report_lost_results() {
    const std::string sentence = results_.take_fault();
    if (sentence.empty()) return;
    fail(sentence);
    end_unless_read();
  }

  // Once in a run: the jobs share the model.
  void on_note(Job&, const std::string& sentence) override {
    if (!request_.quiet && notes_.insert(sentence).second) progress_.say("gst-bcp: note: " + sentence);
  }

  void on_end(Job& job) override {
    const auto at = find(job);
    const bool failed = job.ending() == Ending::kFailed;
    if (results_.wanted()) results_.end_job(at->first, !failed && job.tally().results() > 0);
    if ((failed || job.ending() == Ending::kGivenUp) && !stopped_) fail(job.fault());
    if (job.unreadable() > 0) ++failures_;
    if (failed || request_.print_only || !job.task().page || job.tally().results() == 0) return close(at);
    at->second.reporting = true;
    const std::string page = job.task().page.path();
    worker_.add(report_work(request_, job), [this, id = at->first, page](const Status& done) {
      if (done) summary_.add_file(page);
      if (!done && !stopped_) fail(done.error().message);
      close(jobs_.find(id));
    });
  }

  // The job has ended, and its files are complete or removed.
  void close(std::map<std::size_t, Running>::iterator at) {
    Job& job = *at->second.job;
    const bool failed = job.ending() == Ending::kFailed;
    metrics_.end(failed);
    if (!failed && !request_.print_only && (job.ending() == Ending::kDone || job.tally().results() > 0))
      summary_.add(job);
    const bool queued = job.task().input.kind != InputKind::kLive;
    ended_.push_back(std::move(at->second.job));  // it may be on the stack
    jobs_.erase(at);
    if (queued) start_next();
    if (jobs_.empty()) g_main_loop_quit(loop_);
  }

  void interrupt() {
    interrupted_ = true;
    finish_jobs();
  }

  void finish_jobs() {
    queue_.clear();
    for (auto& [id, running] : jobs_) running.job->finish();
  }

  void stop() {
    stopped_ = true;
    worker_.stop();
    for (auto& [id, running] : jobs_) running.job->abort();
  }

  void refresh() {
    ended_.clear();
    report_lost_results();
    std::map<std::size_t, JobLine> lines;
    for (const auto& [id, running] : jobs_) {
      lines[id] = job_line(*running.job, running.labels);
      if (total_ > 1) lines[id].name = numbered(id, total_, short_name(running.job->task().input));
      if (interrupted_) lines[id].phase = "finishing";
      if (running.reporting) lines[id].phase = "writing the report";
    }
    progress_.show(lines);
  }

  const Request& request_;
  RunMetrics& metrics_;
  const std::size_t total_;
  ResultsFile results_;
  Progress progress_;
  Summary summary_;
  GMainLoop* loop_ = g_main_loop_new(nullptr, FALSE);
  std::deque<Task> queue_, live_;
  std::unique_ptr<ModelKeeper> keeper_;
  std::map<std::size_t, Running> jobs_;
  std::vector<std::unique_ptr<Job>> ended_;
  std::set<std::string> notes_;  // already shown
  std::size_t started_ = 0, failures_ = 0;
  bool interrupted_ = false, stopped_ = false;
  Worker worker_;  // last: its work ends before the other members are destroyed
};

int say_usage(const Error& error) {
  say_failure(error.message + "; see: gst-bcp run --help");
  return kUsage;
}

ResultsFile::Use use_of(const std::vector<Input>& inputs) {
  if (runs_at_once(inputs)) return ResultsFile::Use::kShared;
  return inputs.front().kind == InputKind::kLive ? ResultsFile::Use::kOpenEnded : ResultsFile::Use::kInTurn;
}

// The rules for the certificates of servers, where an input has one. An error is the command line's.
Status prepare_tls(const Request& request, const std::vector<Input>& inputs) {
  const Result<TlsOptions> options = tls_options(request, inputs);
  if (!options) return options.error();
  if (std::none_of(inputs.begin(), inputs.end(), [](const Input& input) { return is_tls_address(input.uri); }))
    return ok();
  if (request.tls_insecure)
    say_failure(
        "warning: --tls-insecure accepts any certificate, so anyone between this machine and the camera can watch and "
        "change the video; --tls-fingerprint accepts only the camera's own");
  return use_certificate_rules(*options);
}

}  // namespace

int run_session(const Request& request) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe must not leave incomplete files behind
  const Result<std::vector<Input>> inputs = find_inputs(request.inputs, request.live, request.recursive);
  if (!inputs) return say_failure(inputs.error().message);
  if (const Status fit = check_usage(request, *inputs); !fit) return say_usage(fit.error());
  if (const Status fit = prepare_tls(request, *inputs); !fit) return say_usage(fit.error());
  if (const Status found = find_plugin(); !found) return say_failure(found.error().message);
  if (const Status fit = check_settings(request.tagger); !fit) return say_usage(fit.error());
  Result<std::vector<Task>> tasks = plan(request, *inputs);
  if (!tasks) return say_failure(tasks.error().message);
  Result<ResultsFile> results = ResultsFile::claim(request.print_only ? "" : request.jsonl, use_of(*inputs),
                                                   {.force = request.force, .inputs = files_of(*inputs)});
  if (!results) return say_failure(results.error().message);
  RunMetrics metrics(tasks->size());
  const Result<std::unique_ptr<HttpServer>> server = serve_metrics(request, metrics);
  if (!server) return say_failure(server.error().message);
  return Session(request, std::move(*tasks), std::move(*results), metrics).run();
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/session.hpp"

#include <glib.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "run/address.hpp"
#include "run/job.hpp"
#include "run/plan.hpp"
#include "run/plugin.hpp"
#include "run/progress.hpp"
#include "run/results_file.hpp"
#include "run/signals.hpp"
#include "support/program.hpp"
#include "support/table.hpp"

namespace bcp::cli::run {
namespace {

constexpr guint kRefreshMilliseconds = 100;

class Session final : Job::Listener {
 public:
  Session(const Request& request, std::vector<Task> tasks, ResultsFile results)
      : request_(request),
        total_(tasks.size()),
        results_(std::move(results)),
        progress_(Progress::fitting_style(request.quiet)) {
    for (Task& task : tasks) (task.input.kind == InputKind::kLive ? live_ : queue_).push_back(std::move(task));
  }

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
    finish();
    return exit_code();
  }

  ~Session() { g_main_loop_unref(loop_); }

 private:
  struct Running {
    std::unique_ptr<Job> job;
    std::vector<ShownLabel> labels;  // of the newest frame
  };

  static Task pop(std::deque<Task>& tasks) {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }

  // Videos and pictures are one lane: one after the other.
  void start_next() {
    if (!queue_.empty()) start(pop(queue_));
  }

  void start(Task task) {
    if (results_.wanted() && task.input.fault.empty() && !load_model()) return;
    if (!results_.wanted() && task.input.fault.empty() && !load_model()) return;
    if (keeper_)
      for (const Setting& setting : keeper_->settings()) task.recipe.tagger.push_back(setting);
    if (results_.wanted()) {
      task.recipe.jsonl.push_back(results_.location());
      task.recipe.append = results_.append();
      results_.begin_job();
    }
    const std::size_t id = started_++;
    Running& running = jobs_[id];
    running.job = std::make_unique<Job>(std::move(task), static_cast<Job::Listener&>(*this));
    running.job->start();
  }

  // Once, before the first job that needs it. False: it cannot be had, and that has been told.
  bool load_model() {
    if (keeper_ || request_.print_only || total_ == 1) return true;
    Result<ModelKeeper> keeper = ModelKeeper::open(request_.tagger);
    if (keeper) {
      keeper_ = std::make_unique<ModelKeeper>(std::move(*keeper));
      return true;
    }
    fail(keeper.error().message);
    queue_.clear();
    live_.clear();
    return false;
  }

  Running* find(const Job& job) {
    for (auto& [id, running] : jobs_)
      if (running.job.get() == &job) return &running;
    return nullptr;
  }

  void on_line(Job&, const std::string& line) override {
    if (request_.print_only)
      progress_.print(line);
    else if (request_.verbose)
      progress_.say("$ " + line);
  }

  void on_seen(Job& job, const Seen& seen) override {
    if (Running* running = find(job)) running->labels = seen.labels;
    // What is in a picture is the result itself; of a video it changes with every frame.
    if (job.task().input.kind == InputKind::kPictures && !request_.quiet && request_.jsonl != "-")
      progress_.print(seen.source + ": " + told(seen.labels));
  }

  void on_remark(Job&, const std::string& sentence) override { progress_.say("gst-bcp: " + sentence); }

  void on_end(Job& job) override {
    const bool failed = job.ending() == Ending::kFailed;
    if (results_.wanted() && job.task().input.fault.empty()) results_.end_job(!failed && job.tally().results() > 0);
    if (failed) fail(job.fault());
    if (job.unreadable() > 0) ++failures_;
    if (!failed) {
      tally_ = total_ == 1 ? job.tally() : tally_;
      if (total_ > 1) tally_.add(job.tally());
      if (total_ > 1 && !request_.quiet && !request_.print_only && !stopped_) tell_end(job);
    }
    const auto at = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& e) { return e.second.job.get() == &job; });
    const bool queued = job.task().input.kind != InputKind::kLive;
    ended_.push_back(std::move(at->second.job));  // it is on the stack
    jobs_.erase(at);
    if (queued) start_next();
    if (jobs_.empty()) g_main_loop_quit(loop_);
  }

  void tell_end(const Job& job) {
    const Standing standing = job.standing();
    std::ostringstream text;
    text << job.name() << ": " << standing.frames << " frames";
    progress_.say(text.str());
  }

  void fail(const std::string& sentence) {
    ++failures_;
    if (!stopped_) progress_.say("gst-bcp: " + sentence);
  }

  void interrupt() {
    interrupted_ = true;
    queue_.clear();
    std::vector<Job*> jobs;
    for (auto& [id, running] : jobs_) jobs.push_back(running.job.get());
    for (Job* job : jobs) job->finish();
  }

  void stop() {
    stopped_ = true;
    std::vector<Job*> jobs;
    for (auto& [id, running] : jobs_) jobs.push_back(running.job.get());
    for (Job* job : jobs) job->abort();
  }

  void refresh() {
    ended_.clear();
    std::map<std::size_t, JobLine> lines;
    for (const auto& [id, running] : jobs_) lines[id] = line_of(id, running);
    progress_.show(lines);
  }

  JobLine line_of(std::size_t id, const Running& running) const {
    const Standing standing = running.job->standing();
    JobLine line;
    if (total_ > 1)
      line.name.append("[")
          .append(std::to_string(id + 1))
          .append("/")
          .append(std::to_string(total_))
          .append("] ")
          .append(running.job->name());
    if (!standing.running) {
      line.phase = "opening " + (total_ > 1 ? std::string() : running.job->name());
      return line;
    }
    if (interrupted_) line.phase = "finishing";
    if (standing.position) line.position = clock_text(*standing.position);
    if (standing.seconds > 0.2) line.rate = static_cast<double>(standing.frames) / standing.seconds;
    if (standing.position && standing.duration) {
      line.fraction = std::min(1.0, static_cast<double>(*standing.position) / static_cast<double>(*standing.duration));
      if (standing.seconds > 1 && line.fraction > 0.005)
        line.remaining = standing.seconds * (1 - line.fraction) / line.fraction;
    }
    line.labels = told(running.labels);
    std::vector<std::string> names;
    for (const ShownLabel& label : running.labels) names.push_back(label.name);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) line.label_names += name + "\n";
    return line;
  }

  void finish() {
    ended_.clear();
    keeper_.reset();
    if (const Status done = stopped_ ? ok() : results_.commit(); !done) fail(done.error().message);
    if (!request_.quiet && !request_.print_only && tally_.results() > 0 && !stopped_) {
      std::ostringstream table;
      print_table(table, tally_.table(total_ == 1));
      std::istringstream lines(table.str());
      for (std::string line; std::getline(lines, line);)
        request_.jsonl == "-" ? progress_.say(line) : progress_.print(line);
    }
  }

  int exit_code() const {
    if (interrupted_) return kInterruptedCode;
    return failures_ > 0 ? kFailed : kDone;
  }

  const Request& request_;
  const std::size_t total_;
  ResultsFile results_;
  Progress progress_;
  GMainLoop* loop_ = g_main_loop_new(nullptr, FALSE);
  std::deque<Task> queue_, live_;
  std::unique_ptr<ModelKeeper> keeper_;
  std::map<std::size_t, Running> jobs_;
  std::vector<std::unique_ptr<Job>> ended_;
  std::size_t started_ = 0, failures_ = 0;
  Tally tally_;
  bool interrupted_ = false, stopped_ = false;
};

int say_usage(const Error& error) {
  say_failure(error.message + "; see: gst-bcp run --help");
  return kUsage;
}

}  // namespace

int run_session(const Request& request) {
  const Result<std::vector<Input>> inputs = find_inputs(request.inputs, request.live, request.recursive);
  if (!inputs) return say_failure(inputs.error().message);
  if (const Status fit = check_usage(request, *inputs); !fit) return say_usage(fit.error());
  if (const Status found = find_plugin(); !found) return say_failure(found.error().message);
  if (const Status fit = check_settings(request.tagger); !fit) return say_usage(fit.error());
  Result<std::vector<Task>> tasks = plan(request, *inputs);
  if (!tasks) return say_failure(tasks.error().message);
  const bool open_ended =
      std::any_of(inputs->begin(), inputs->end(), [](const Input& input) { return input.kind == InputKind::kLive; });
  Result<ResultsFile> results = ResultsFile::claim(request.jsonl, open_ended, {request.force, files_of(*inputs)});
  if (!results) return say_failure(results.error().message);
  return Session(request, std::move(*tasks), std::move(*results)).run();
}

}  // namespace bcp::cli::run

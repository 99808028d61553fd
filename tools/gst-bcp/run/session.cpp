// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/session.hpp"

#include <glib.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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
#include "gst-bcp/run/plan/plugin.hpp"
#include "gst-bcp/run/reload.hpp"
#include "gst-bcp/run/service_watch.hpp"
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

class Session final : Job::Listener, Reload::Run {
 public:
  Session(const Request& request, const Request& given, SessionSetup setup, RunMetrics& metrics)
      : request_(request),
        metrics_(metrics),
        observers_(std::move(setup.observers)),
        total_(setup.tasks.size()),
        results_(std::move(setup.results)),
        progress_(Progress::fitting_style(request.quiet)),
        summary_(request, total_, progress_) {
    for (Task& task : setup.tasks) (task.input.kind == InputKind::kLive ? live_ : queue_).push_back(std::move(task));
    if (setup.config)
      reload_ = std::make_unique<Reload>(*std::move(setup.config), given, static_cast<Reload::Run&>(*this));
  }
  ~Session() { g_main_loop_unref(loop_); }

  int run() {
    const auto reload_file = [this] { reload(); };
    const Signals signals([this] { interrupt(); }, [this] { stop(); },
                          reload_ ? std::function<void()>(reload_file) : std::function<void()>());
    const guint timer = g_timeout_add(
        kRefreshMilliseconds, [](gpointer self) -> gboolean { return static_cast<Session*>(self)->refresh(), TRUE; },
        this);
    start_next();
    while (!live_.empty()) start(pop(live_));
    if (!jobs_.empty()) {
      service_.ready();
      g_main_loop_run(loop_);
    }
    service_.stopping();
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
    for (const auto& observer : observers_) observer->on_begin(*running.job);
    running.job->start();
    return true;
  }

  // Once, before the first job that needs the model, so that jobs share it. False: loading failed, and was reported.
  bool load_model() {
    if (keeper_ || request_.print_only || (total_ == 1 && !reload_)) return true;
    Result<ModelKeeper> keeper = ModelKeeper::open(request_.tagger);
    if (keeper) {
      keeper_ = std::make_unique<ModelKeeper>(std::move(*keeper));
      return true;
    }
    queue_.clear();
    live_.clear();
    return fail(keeper.error().message);
  }

  bool fail(const std::string& sentence) override {
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

  void on_play(Job& job) override {
    for (const auto& observer : observers_) observer->on_play(job);
  }

  void on_labels(Job& job) override {
    for (const auto& observer : observers_) observer->on_labels(job);
  }

  void on_source(Job& job, bool is_there, const std::string& sentence) override {
    for (const auto& observer : observers_) observer->on_source(job, is_there, sentence);
  }

  void on_seen(Job& job, const Seen& seen) override {
    for (const auto& observer : observers_) observer->on_seen(job, seen);
    find(job)->second.labels = seen.labels;
    // The labels of a picture are a result; those of a video change with every frame.
    if (job.task().input.kind == InputKind::kPictures && !request_.quiet && request_.jsonl != "-")
      progress_.print(seen.source + ": " + text_of(seen));
  }

  void on_remark(Job& job, const std::string& sentence) override {
    for (const auto& observer : observers_) observer->on_remark(job, sentence);
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

  // Printed once in a run: the jobs share the model.
  void on_note(Job& job, const std::string& sentence) override {
    for (const auto& observer : observers_) observer->on_note(job, sentence);
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
    for (const auto& observer : observers_) observer->on_close(job);
    const std::string source = job.task().input.source;
    service_.forget(source);
    const bool queued = job.task().input.kind != InputKind::kLive;
    ended_.push_back(std::move(at->second.job));  // it may be on the stack
    jobs_.erase(at);
    if (queued) start_next();
    if (reload_ && !interrupted_ && !stopped_) reload_->on_ended(source);
    if (jobs_.empty()) g_main_loop_quit(loop_);
  }

  // Reads the file of cameras again.
  void reload() {
    if (interrupted_ || stopped_) return;
    service_.reloading();
    reload_->read_again();
    service_.ready();
    if (jobs_.empty()) g_main_loop_quit(loop_);
  }

  Job* camera(const std::string& source) override {
    for (auto& [id, running] : jobs_)
      if (running.job->task().input.source == source) return running.job.get();
    return nullptr;
  }
  bool start_camera(Task task) override { return start(std::move(task)); }
  std::vector<Setting> model_settings() const override {
    return keeper_ ? keeper_->settings() : std::vector<Setting>();
  }
  void say(const std::string& sentence) override { progress_.say(sentence); }

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
    for (const auto& observer : observers_)
      observer->on_tick([this](const std::string& sentence) { progress_.say("gst-bcp: " + sentence); });
    std::map<std::size_t, JobLine> lines;
    for (const auto& [id, running] : jobs_) {
      lines[id] = job_line(*running.job, running.labels);
      service_.note(running.job->task().input.source, running.job->standing(), running.reporting);
      if (reload_) lines[id].name = running.job->task().input.source;
      if (total_ > 1 && !reload_) lines[id].name = numbered(id, total_, short_name(running.job->task().input));
      if (interrupted_) lines[id].phase = "finishing";
      if (running.reporting) lines[id].phase = "writing the report";
    }
    progress_.show(lines);
    service_.report();
  }

  const Request& request_;
  ServiceWatch service_;
  RunMetrics& metrics_;
  const std::vector<std::unique_ptr<Observer>> observers_;
  const std::size_t total_;
  ResultsFile results_;
  Progress progress_;
  Summary summary_;
  GMainLoop* loop_ = g_main_loop_new(nullptr, FALSE);
  std::deque<Task> queue_, live_;
  std::unique_ptr<ModelKeeper> keeper_;
  std::map<std::size_t, Running> jobs_;
  std::vector<std::unique_ptr<Job>> ended_;
  std::set<std::string> notes_;     // already shown
  std::unique_ptr<Reload> reload_;  // of a run with a file of cameras
  std::size_t started_ = 0, failures_ = 0;
  bool interrupted_ = false, stopped_ = false;
  Worker worker_;  // last: its work ends before the other members are destroyed
};

}  // namespace

int run_session(const Request& request, const Request& given, SessionSetup setup, RunMetrics& metrics) {
  return Session(request, given, std::move(setup), metrics).run();
}

}  // namespace bcp::cli::run

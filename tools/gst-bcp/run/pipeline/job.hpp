// SPDX-License-Identifier: LGPL-2.1-or-later
// One input and its pipeline: probes the input, runs and watches the pipeline, and ends it.
//
// Belongs to the thread of the default main loop, which also calls its Listener.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gst-bcp/run/camera/first_look.hpp"
#include "gst-bcp/run/camera/supervisor.hpp"
#include "gst-bcp/run/pipeline/metrics.hpp"
#include "gst-bcp/run/pipeline/pictures.hpp"
#include "gst-bcp/run/pipeline/seen.hpp"
#include "gst-bcp/run/pipeline/stall.hpp"
#include "gst-bcp/run/pipeline/tally.hpp"
#include "gst-bcp/run/plan/media.hpp"
#include "gst-bcp/run/plan/task.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

enum class Ending {
  kDone,
  kInterrupted,
  kGivenUp,  // a camera that did not come back: its files are kept
  kFailed,
};

// The progress of a job.
struct Standing {
  std::optional<GstClockTime> position, duration;
  std::size_t frames = 0;        // that have passed the tagger
  double seconds = 0;            // since the first of them
  bool running = false;          // false: still opening
  std::optional<double> outage;  // of a camera: the seconds since it was lost
};

class Job final : Supervisor::Listener {
 public:
  struct Listener {
    virtual void on_line(Job&, const std::string& launch_line) = 0;
    // The pipeline is complete and is about to play.
    virtual void on_play(Job&) = 0;
    virtual void on_seen(Job&, const Seen&) = 0;
    // A camera was lost, or is back. on_remark() follows with the same sentence.
    virtual void on_source(Job&, bool is_there, const std::string& sentence) = 0;
    // Other labels are in use.
    virtual void on_labels(Job&) = 0;
    // Something the user should know; the job goes on.
    virtual void on_remark(Job&, const std::string& sentence) = 0;
    // What bcptagger assumes about its model when it starts; the same in all jobs of a model.
    virtual void on_note(Job&, const std::string& sentence) = 0;
    // The pipeline is destroyed, and the video has its name or is removed. Called once. The job may be deleted.
    virtual void on_end(Job&) = 0;

   protected:
    ~Listener() = default;
  };

  Job(Task task, Listener& listener);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void start();
  // Ends the stream here and finishes its files. on_end() follows.
  void finish();
  // Stops at once; on_end() follows.
  void abort();

  // Whether finish() was called, or it has ended.
  bool is_finishing() const { return finishing_ || end_source_ != 0; }
  // Takes the encoded stream of the input from its first packet on. Call before start().
  void set_tap(std::shared_ptr<StreamTap> tap) { tap_ = std::move(tap); }
  // Reports something the user should know.
  void remark(const std::string& sentence) { listener_.on_remark(*this, sentence); }

  Task& task() { return task_; }
  const Task& task() const { return task_; }
  const std::string& name() const { return task_.input.name; }
  Standing standing() const;
  // An element of the pipeline, by its name in the recipe; null: there is no pipeline, or no such element.
  gst::ElementPtr child(const char* name) const;
  const Tally& tally() const { return tally_; }
  // Of pictures: how many could not be read.
  std::size_t unreadable() const { return unreadable_; }

  // Once it has ended:
  Ending ending() const { return ending_; }
  const std::string& fault() const { return fault_; }
  // What was written: the video, or the text "3 pictures to labelled/".
  const std::vector<std::string>& written() const { return written_; }
  // The properties of bcptagger that differed from their defaults, for a report.
  const std::vector<Setting>& settings() const { return settings_; }

 private:
  void look();
  void look_again(const Error& error);
  void run(const Media& media);
  Result<gst::ElementPtr> assemble(const Prepared& prepared);
  void play();
  void end(Ending ending, std::string fault = {});
  void clean_up();
  void keep_settings();
  void note_pictures();
  void on_message(GstMessage* message);
  void report_early_end();
  void report_metrics(bool lost);
  void on_error(GstMessage* message);
  void on_warning(GstMessage* message);
  void on_given_up(const std::string& sentence) override;
  void watch();
  std::uint64_t frames_tagged() const;

  Task task_;
  Listener& listener_;
  std::shared_ptr<StreamTap> tap_;  // may be null
  std::unique_ptr<MediaProbe> probe_;
  std::unique_ptr<FirstLook> look_;          // of an RTSP camera, instead
  std::unique_ptr<LiveSource> held_source_;  // of the pipeline that began with a look
  GstElement* rest_ = nullptr;               // of that pipeline: all but its source
  gst::ElementPtr pipeline_;
  std::unique_ptr<PictureFeeder> feeder_;
  std::unique_ptr<Supervisor> supervisor_;  // of a camera
  std::optional<StallWatch> stall_;         // of a video
  std::optional<Reconnect> waiting_;        // for a camera that is unreachable at start
  guint bus_watch_ = 0, timer_ = 0, end_source_ = 0, finish_timer_ = 0, look_timer_ = 0;
  Media media_;
  Tally tally_;
  std::set<std::string> warned_;  // warnings that were shown
  std::string missing_;           // GStreamer's text about a missing plugin
  std::size_t unreadable_ = 0;
  std::optional<GstClockTime> position_;
  std::optional<std::chrono::steady_clock::time_point> first_frame_;
  std::optional<std::chrono::steady_clock::time_point> last_frame_;  // once it has ended
  std::chrono::steady_clock::time_point last_progress_;
  std::uint64_t last_frames_ = 0;
  std::uint64_t lost_ = 0;  // results that could not be written
  bool finishing_ = false;
  std::string given_up_;  // why, once a camera has been
  Ending ending_ = Ending::kFailed;
  std::string fault_;
  std::vector<std::string> written_;
  std::vector<Setting> settings_;
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/job.hpp"

#include <gst/app/gstappsrc.h>
#include <gst/pbutils/pbutils.h>

#include <filesystem>
#include <utility>

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/common/clock_text.hpp"
#include "gst-bcp/run/pipeline/durations.hpp"
#include "gst-bcp/run/pipeline/early_end.hpp"
#include "gst-bcp/run/pipeline/element_state.hpp"
#include "gst-bcp/run/pipeline/gif.hpp"
#include "gst-bcp/run/plan/faults.hpp"
#include "gst-bcp/run/plan/missing.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestSilence{15};  // of a camera, before an error
constexpr unsigned kStalledSeconds = 30;             // of a video, before an error
constexpr guint kFinishMilliseconds = 10 * 1000;     // for a stream to end, after the request

void drop_source(guint& id) {
  if (id != 0) g_source_remove(std::exchange(id, 0));
}

}  // namespace

Job::Job(Task task, Listener& listener) : task_(std::move(task)), listener_(listener) {}

Job::~Job() {
  clean_up();
}

void Job::start() {
  if (!task_.input.fault.empty()) return end(Ending::kFailed, task_.input.fault);
  // A camera is not opened twice, unless the output file depends on its format.
  const bool known =
      task_.input.kind == InputKind::kPictures ||
      (task_.input.kind == InputKind::kLive && !task_.recipe.container && is_live_address(task_.input.uri));
  if (known) return run(Media{});
  look();
}

void Job::look() {
  const auto on_media = [this](const Result<Media>& media) {
    if (!media) return look_again(media.error());
    run(*media);
  };
  if (!task_.input.uri.starts_with("rtsp")) {
    probe_ = std::make_unique<MediaProbe>(task_.input.uri, name(), on_media);
    return;
  }
  // One connection: its source becomes that of the pipeline. Whether there is sound is not known yet.
  Recipe recipe = task_.recipe;
  recipe.media.sound = "audio/x-raw";
  look_ = std::make_unique<FirstLook>(prepare(recipe).source, CameraCall{name(), task_.input.uri, Clock::now()},
                                      on_media, tap_);
}

// Waits for a camera that is unreachable at start, if --wait was given.
void Job::look_again(const Error& error) {
  look_.reset();
  if (!task_.reconnect.wait || !may_return(task_.recipe) || error.code != ErrorCode::kRuntime)
    return end(Ending::kFailed, error.message);
  const bool is_first = !waiting_;
  if (is_first) waiting_.emplace(task_.reconnect, Clock::now());
  if (waiting_->failed(Clock::now()) == Reconnect::Step::kGiveUp) return end(Ending::kFailed, error.message);
  if (is_first) listener_.on_remark(*this, error.message + "; waiting for it");
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(waiting_->until_next(Clock::now()));
  look_timer_ = g_timeout_add(
      static_cast<guint>(pause.count()),
      [](gpointer self) -> gboolean {
        auto& job = *static_cast<Job*>(self);
        job.look_timer_ = 0;
        job.waiting_->opened(Clock::now());
        job.look();
        return FALSE;
      },
      this);
}

void Job::run(const Media& media) {
  media_ = media;
  task_.recipe.media = media;
  const Prepared prepared = prepare(task_.recipe);
  listener_.on_line(*this, prepared.line.printed());
  if (task_.print_only) return end(Ending::kInterrupted);
  if (!prepared.remark.empty()) listener_.on_remark(*this, name() + ": " + prepared.remark);
  Result<gst::ElementPtr> pipeline = assemble(prepared);
  if (!pipeline) return end(Ending::kFailed, name() + " cannot be run: " + pipeline.error().message);
  pipeline_ = std::move(*pipeline);

  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  bus_watch_ = gst_bus_add_watch(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer self) -> gboolean {
        static_cast<Job*>(self)->on_message(message);
        return TRUE;
      },
      this);
  timer_ = g_timeout_add(
      1000,
      [](gpointer self) -> gboolean {
        static_cast<Job*>(self)->watch();
        return TRUE;
      },
      this);
  if (task_.input.kind == InputKind::kPictures) {
    name_frames_by_file(child(kTagger).get(), task_.input.files);
    if (const gst::ElementPtr sink = child(kPictures))
      write_frames(sink.get(), task_.labelled_pictures, task_.picture_rules);
  }
  task_.metrics->set_tagger(child(kTagger).get());
  if (may_return(task_.recipe))
    supervisor_ = std::make_unique<Supervisor>(
        pipeline_.get(), prepared.source, CameraCall{name(), task_.input.uri, Clock::now()}, task_.reconnect,
        static_cast<Supervisor::Listener&>(*this), std::move(held_source_), tap_);
  else if (tap_)
    tap_->attach(child(kSource).get());
  if (task_.recipe.container) fill_durations(child("mux").get());
  if (!task_.input.path.empty()) play_gif_once(pipeline_.get(), gif_durations(task_.input.path));
  if (task_.input.kind == InputKind::kVideo) stall_.emplace(pipeline_.get(), kStalledSeconds);
  listener_.on_play(*this);
  last_progress_ = Clock::now();
  play();
  last_progress_ = Clock::now();  // a model has been loaded
  if (task_.input.kind == InputKind::kPictures)
    feeder_ = std::make_unique<PictureFeeder>(child(kSource).get(), task_.input.files);
}

// The pipeline of the line; of a camera that was looked at, that of its connection, with the rest of the line.
Result<gst::ElementPtr> Job::assemble(const Prepared& prepared) {
  if (!look_) return prepared.line.parse();
  Result<gst::ElementPtr> rest = prepared.rest.parse_bin();
  if (!rest) return rest.error();
  FirstLook::Connected connected = look_->take();
  held_source_ = std::move(connected.source);
  rest_ = rest->get();
  gst_bin_add(GST_BIN(connected.pipeline.get()), rest_);
  return std::move(connected.pipeline);
}

// A failure is on the bus.
void Job::play() {
  if (!rest_) {
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    return;
  }
  if (!gst_element_sync_state_with_parent(rest_)) return;
  supervisor_->connect();
  gst_bin_recalculate_latency(GST_BIN(pipeline_.get()));
}

void Job::finish() {
  if (finishing_ || end_source_ != 0) return;
  finishing_ = true;
  if (!pipeline_ || tally_.results() == 0) return end(Ending::kInterrupted);
  finish_timer_ = g_timeout_add(
      kFinishMilliseconds,
      [](gpointer self) -> gboolean {
        auto& job = *static_cast<Job*>(self);
        job.finish_timer_ = 0;
        job.end(Ending::kFailed, job.name() + " did not end in time: its output files are incomplete");
        return FALSE;
      },
      this);
  if (task_.input.kind == InputKind::kPictures) {
    gst_app_src_end_of_stream(GST_APP_SRC(child(kSource).get()));
  } else if (supervisor_) {
    supervisor_->end();
  } else {
    end_early(pipeline_.get(), position_.value_or(0));
  }
}

void Job::abort() {
  if (end_source_ == 0) end(Ending::kFailed, name() + " was stopped");
}

void Job::on_message(GstMessage* message) {
  if (end_source_ != 0 || (supervisor_ && supervisor_->on_message(message))) return;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_EOS:
      report_early_end();
      if (!given_up_.empty()) return end(Ending::kGivenUp, given_up_);
      return end(finishing_ ? Ending::kInterrupted : Ending::kDone);
    case GST_MESSAGE_ERROR:
      return on_error(message);
    case GST_MESSAGE_WARNING:
      return on_warning(message);
    case GST_MESSAGE_INFO:
      if (const std::string note = read_note(message); !note.empty()) listener_.on_note(*this, note);
      return;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency(GST_BIN(pipeline_.get()));
      return;
    case GST_MESSAGE_CLOCK_LOST:
      gst_element_set_state(pipeline_.get(), GST_STATE_PAUSED);
      gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
      return;
    case GST_MESSAGE_APPLICATION:
      if (const std::string sentence = read_unreadable(message); !sentence.empty()) {
        ++unreadable_;
        listener_.on_remark(*this, sentence);
      }
      return;
    case GST_MESSAGE_ELEMENT:
      break;
    default:
      return;
  }
  if (gst_is_missing_plugin_message(message)) {
    const gst::CharPtr detail(gst_missing_plugin_message_get_installer_detail(message));
    if (detail) missing_ = detail.get();
  } else if (const std::string news = read_source_news(message, name()); !news.empty()) {
    const bool lost = gst_structure_has_name(gst_message_get_structure(message), "bcp-source-lost");
    report_metrics(lost);
    listener_.on_source(*this, !lost, news);
    listener_.on_remark(*this, news);
  } else if (gst_message_has_name(message, "bcp-labels-active")) {
    listener_.on_labels(*this);
  } else if (const std::optional<Seen> seen = read_seen(message)) {
    if (!first_frame_) first_frame_ = Clock::now();
    // A result of a frame from before a loss may come after the message about the loss.
    if (!supervisor_ || !supervisor_->outage()) task_.metrics->set_up(true);
    if (GST_CLOCK_TIME_IS_VALID(seen->time)) position_ = seen->time;
    tally_.add(*seen);
    listener_.on_seen(*this, *seen);
  }
}

void Job::report_metrics(bool lost) {
  if (!lost && first_frame_) task_.metrics->add_reconnect();  // else it was never connected
  task_.metrics->set_up(!lost);
}

// GStreamer reports the end of a truncated file as the end of the video.
void Job::report_early_end() {
  if (finishing_ || task_.input.kind != InputKind::kVideo || !position_ || !media_.duration) return;
  const GstClockTime tolerated = 2 * GST_SECOND + *media_.duration / 20;
  if (*position_ + tolerated >= *media_.duration) return;
  listener_.on_remark(*this, name() + " ended at " + clock_text(*position_) + " of " + clock_text(*media_.duration) +
                                 ": it may be cut short; copy or download it again");
}

void Job::on_error(GstMessage* message) {
  if (!missing_.empty()) return end(Ending::kFailed, missing_sentence(name(), missing_));
  end(Ending::kFailed, pipeline_fault(name(), task_.video.path(), message));
}

void Job::on_warning(GstMessage* message) {
  GError* fault = nullptr;
  gst_message_parse_warning(message, &fault, nullptr);
  const gst::ErrorPtr error(fault);
  GstElementFactory* factory = GST_IS_ELEMENT(GST_MESSAGE_SRC(message))
                                   ? gst_element_get_factory(GST_ELEMENT(GST_MESSAGE_SRC(message)))
                                   : nullptr;
  // Many warnings of GStreamer's own elements cannot be fixed by users; ours report lost data.
  if (!factory || !std::string_view(GST_OBJECT_NAME(factory)).starts_with("bcp")) return;
  const std::string sentence = without_secrets(error->message);
  // A refused change of labels is the answer to a request, so each one counts.
  const bool is_answer = sentence.find("old labels") != std::string::npos;
  if (warned_.insert(sentence).second || is_answer) listener_.on_remark(*this, sentence);
}

void Job::on_given_up(const std::string& sentence) {
  if (finishing_) return;
  if (tally_.results() == 0) return end(Ending::kFailed, sentence);
  given_up_ = sentence;
  finish();
}

void Job::watch() {
  if (stall_ && end_source_ == 0 && !finishing_ && stall_->tick())
    return end(Ending::kFailed, name() + " has delivered nothing for " + std::to_string(kStalledSeconds) +
                                    " s, neither bytes nor pictures: " +
                                    (is_address(name()) ? "check the network and the server"
                                                        : "check its disk, or convert it to another format"));
  if (task_.input.kind != InputKind::kLive || supervisor_ || end_source_ != 0) return;
  if (const std::uint64_t frames = frames_tagged(); frames != last_frames_) {
    last_frames_ = frames;
    last_progress_ = Clock::now();
  } else if (Clock::now() - last_progress_ > kLongestSilence) {
    end(Ending::kFailed, name() + " has delivered nothing for 15 s: check that the camera is on and the network works");
  }
}

// The end is reported from the main loop, never from a callback of a pipeline that is being destroyed.
void Job::end(Ending ending, std::string fault) {
  if (end_source_ != 0) return;
  ending_ = ending;
  last_frame_ = Clock::now();
  fault_ = std::move(fault);
  end_source_ = g_idle_add(
      [](gpointer self) -> gboolean {
        auto& job = *static_cast<Job*>(self);
        job.clean_up();
        if (job.ending_ != Ending::kFailed && job.tally_.results() > 0 && job.task_.video) {
          job.written_.push_back(job.task_.video.path());
          if (const Status done = job.task_.video.commit(); !done) {
            job.written_.clear();
            job.ending_ = Ending::kFailed;
            job.fault_ = done.error().message;
          }
        }
        job.note_pictures();
        job.task_.video.discard();
        if (!job.fault_.empty() && !job.task_.video.news().empty()) job.fault_ += "; " + job.task_.video.news();
        if (job.ending_ != Ending::kFailed && job.lost_ > 0) {
          job.ending_ = Ending::kFailed;
          job.fault_ = job.name() + ": " + std::to_string(job.lost_) + " results could not be written";
        }
        job.listener_.on_end(job);
        return FALSE;
      },
      this);
}

void Job::note_pictures() {
  const std::vector<std::string>& all = task_.labelled_pictures;
  const std::size_t count = all.empty() ? 0 : last_frames_;
  if (count == 1 && all.size() == 1) written_.push_back(all.front());
  if (count == 0 || all.size() == 1) return;
  written_.push_back(std::to_string(count) + (count == 1 ? " picture to " : " pictures to ") +
                     std::filesystem::path(all.front()).parent_path().string() + "/");
}

void Job::clean_up() {
  probe_.reset();
  look_.reset();
  drop_source(bus_watch_);
  drop_source(timer_);
  drop_source(finish_timer_);
  drop_source(look_timer_);
  if (!pipeline_) return;
  keep_settings();
  task_.metrics->set_up(false);
  task_.metrics->set_tagger(nullptr);
  if (supervisor_) supervisor_->stop();
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  supervisor_.reset();
  stall_.reset();
  feeder_.reset();
  pipeline_.reset();
}

void Job::keep_settings() {
  const gst::ElementPtr tagger = child(kTagger);
  if (!tagger) return;
  last_frames_ = frames_tagged();
  lost_ = count_in(child(kResults).get(), "lost");
  settings_ = changed_settings(tagger.get());
}

Standing Job::standing() const {
  Standing standing;
  standing.running = first_frame_.has_value();
  standing.position = position_;
  standing.duration = media_.duration;
  if (task_.input.kind == InputKind::kPictures) standing.duration = task_.input.files.size() * GST_SECOND;
  standing.frames = pipeline_ ? frames_tagged() : last_frames_;
  if (supervisor_) standing.outage = supervisor_->outage();
  if (first_frame_)
    standing.seconds = std::chrono::duration<double>(last_frame_.value_or(Clock::now()) - *first_frame_).count();
  return standing;
}

std::uint64_t Job::frames_tagged() const {
  return count_in(child(kTagger).get(), "frames");
}

gst::ElementPtr Job::child(const char* name) const {
  return gst::ElementPtr(pipeline_ ? gst_bin_get_by_name(GST_BIN(pipeline_.get()), name) : nullptr);
}

}  // namespace bcp::cli::run

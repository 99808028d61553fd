// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/supervisor.hpp"

#include <gst/pbutils/pbutils.h>

#include <array>
#include <cstdio>
#include <utility>

#include "base/number_text.hpp"
#include "gst-bcp/common/address.hpp"
#include "gst-bcp/run/plan/faults.hpp"
#include "gst-bcp/run/plan/missing.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr guint kTickMilliseconds = 100;
constexpr double kLongOutage = 10;  // seconds
constexpr const char* kLost = "bcp-source-lost";
constexpr const char* kBack = "bcp-source-back";
constexpr const char* kCheck = ": check that the camera is on and the network works";
constexpr const char* kEnded = "bcp-source-ended";

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void post(GstElement* pipeline, GstStructure* news) {
  gst_element_post_message(pipeline, gst_message_new_element(GST_OBJECT(pipeline), news));
}

// On a streaming thread: the bus passes it to the main thread.
void post_end(GstElement* pipeline) {
  post(pipeline, gst_structure_new_empty(kEnded));
}

}  // namespace

Supervisor::Supervisor(GstElement* pipeline, LaunchLine source, CameraCall call, Reconnect::Rules rules,
                       Listener& listener, std::unique_ptr<LiveSource> held, std::shared_ptr<StreamTap> tap)
    : pipeline_(pipeline),
      line_(std::move(source)),
      call_(std::move(call)),
      listener_(listener),
      tap_(std::move(tap)),
      source_(held ? std::move(held) : LiveSource::adopt(pipeline, kSource, tap_.get())),
      clockwork_(rules, Clock::now()) {
  if (tap_) tap_->follow(timeline_);
  for (const auto& [element, kind] : {std::pair{kVideoInlet, "video/"}, std::pair{kSoundInlet, "audio/"}})
    if (std::shared_ptr<Inlet> inlet = Inlet::of(pipeline, element, kind, timeline_, post_end))
      inlets_.push_back(std::move(inlet));
  timer_ = g_timeout_add(
      kTickMilliseconds,
      [](gpointer self) -> gboolean {
        static_cast<Supervisor*>(self)->tick();
        return TRUE;
      },
      this);
}

Supervisor::~Supervisor() {
  stop();
}

void Supervisor::connect() {
  if (source_ && source_->is_held()) source_->connect_to(inlets_);
}

void Supervisor::stop() {
  stopped_ = true;
  check_.reset();
  if (timer_ != 0) g_source_remove(std::exchange(timer_, 0));
  source_.reset();
}

bool Supervisor::is_from_source(GstMessage* message) const {
  return source_ && GST_MESSAGE_SRC(message) &&
         gst_object_has_as_ancestor(GST_MESSAGE_SRC(message), GST_OBJECT(source_->element()));
}

bool Supervisor::on_message(GstMessage* message) {
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      return on_error(message);
    case GST_MESSAGE_PROGRESS:
      if (is_from_source(message)) clockwork_.alive(Clock::now());
      return true;
    case GST_MESSAGE_ELEMENT:
      break;
    default:
      return false;
  }
  if (gst_message_has_name(message, kEnded)) {
    // Only of this source: a source that was replaced meanwhile does not count.
    if (source_ && !stopped_) notice_frames(Clock::now());
    if (source_ && !stopped_ && clockwork_.is_streaming())
      lose("the stream ended", name_ + " ended its stream" + kCheck);
    return true;
  }
  if (gst_message_has_name(message, kNoVideoMessage)) {
    if (is_from_source(message) && !stopped_) lose(camera_fault(CameraTrouble::kNoVideo, call_));
    return true;
  }
  if (gst_is_missing_plugin_message(message) && is_from_source(message)) {
    const gst::CharPtr detail(gst_missing_plugin_message_get_installer_detail(message));
    if (detail) missing_ = detail.get();
  }
  return false;
}

bool Supervisor::on_error(GstMessage* message) {
  // The bus may still have messages of a removed source.
  if (!gst_object_has_as_ancestor(GST_MESSAGE_SRC(message), GST_OBJECT(pipeline_))) return true;
  if (!is_from_source(message) || has_end_) return false;
  if (stopped_) return true;
  GError* fault = nullptr;
  gchar* text = nullptr;
  gst_message_parse_error(message, &fault, &text);
  const gst::ErrorPtr error(fault);
  const gst::CharPtr debug(text);
  const bool no_decoder = g_error_matches(fault, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
                          g_error_matches(fault, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND);
  notice_frames(Clock::now());  // a connection that brought one has not failed, but broken off
  const std::optional<CameraFault> known = fault_of_error(call_, *error, debug.get());
  if (no_decoder && !missing_.empty()) {
    give_up(missing_sentence(name_, missing_));
  } else if (known && !may_pass(known->trouble)) {
    give_up(known->sentence);
  } else if (known) {
    lose(*known);
  } else if (no_decoder || is_refusal(*error)) {
    give_up(pipeline_fault(name_, "", message));
  } else if (!clockwork_.is_streaming() && is_failed_connection(call_, *error)) {
    lose_unexplained(pipeline_fault(name_, "", message));
  } else {
    lose(reason_of(*error), pipeline_fault(name_, "", message));
  }
  return true;
}

void Supervisor::tick() {
  if (stopped_) return;
  const Clock::time_point now = Clock::now();
  if (source_) clockwork_.alive(source_->last_packet());
  notice_frames(now);
  mute(outage().value_or(0) > kLongOutage);
  switch (clockwork_.tick(now)) {
    case Reconnect::Step::kNone:
      break;
    case Reconnect::Step::kRetry:
      last_fault_ = name_ + " has delivered nothing for a while" + kCheck;
      return post_lost("nothing comes from it");
    case Reconnect::Step::kOpen:
      return open();
    case Reconnect::Step::kGiveUp:
      return last_fault_.empty() ? give_up_silent() : give_up(last_fault_);
  }
}

void Supervisor::notice_frames(Clock::time_point now) {
  const std::uint64_t frames = inlets_.front()->count();
  if (std::exchange(frames_, frames) == frames) return;
  if (const auto outage = clockwork_.frame(now)) on_picture(*outage);
}

// The first of a connection.
void Supervisor::on_picture(Clock::duration outage) {
  gint64 duration = 0;
  has_end_ = source_ && gst_element_query_duration(source_->element(), GST_FORMAT_TIME, &duration) && duration > 0;
  missing_.clear();
  last_fault_.clear();
  troubles_.clear();
  if (!std::exchange(posted_, false)) return;
  post(pipeline_, gst_structure_new(kBack, "outage", G_TYPE_DOUBLE, seconds(outage), nullptr));
}

void Supervisor::lose(const std::string& reason, std::string sentence, std::optional<CameraTrouble> trouble) {
  last_fault_ = std::move(sentence);
  if (clockwork_.failed(Clock::now()) == Reconnect::Step::kGiveUp) return give_up(last_fault_);
  post_lost(reason, trouble);
}

// The connection could not be made, and nothing says why: the network is checked, unless the outage has been reported.
void Supervisor::lose_unexplained(std::string sentence) {
  last_fault_ = std::move(sentence);
  const bool is_over = clockwork_.failed(Clock::now()) == Reconnect::Step::kGiveUp;
  source_.reset();
  if (posted_ && !is_over) return;
  check_ = std::make_unique<NetworkCheck>(endpoint_of(call_.uri), [this, is_over, call = call_](Reach reach) {
    const CameraFault fault = fault_of_network(call, reach);
    if (stopped_ || clockwork_.is_streaming()) return;
    last_fault_ = fault.sentence;
    is_over ? give_up(last_fault_) : post_lost(fault.reason);
  });
}

// The first connection has delivered nothing.
void Supervisor::give_up_silent() {
  last_fault_ = name_ + " has delivered nothing for a while" + kCheck;
  source_.reset();
  check_ = std::make_unique<NetworkCheck>(endpoint_of(call_.uri), [this](Reach reach) {
    give_up(reach == Reach::kReached ? last_fault_ : fault_of_network(call_, reach).sentence);
  });
}

// Once per outage: later failures of the same outage are not reported, unless a person must act.
void Supervisor::post_lost(const std::string& reason, std::optional<CameraTrouble> trouble) {
  source_.reset();
  const bool is_news = trouble && needs_person(*trouble) && troubles_.insert(*trouble).second;
  if (std::exchange(posted_, true) && !is_news) return;
  post(pipeline_, gst_structure_new(kLost, "reason", G_TYPE_STRING, reason.c_str(), "was-there", G_TYPE_BOOLEAN,
                                    clockwork_.ever_connected(), "retry-in", G_TYPE_DOUBLE,
                                    seconds(clockwork_.until_next(Clock::now())), nullptr));
}

void Supervisor::open() {
  timeline_->restart();
  missing_.clear();
  frames_ = inlets_.front()->count();
  call_.since = Clock::now();
  clockwork_.opened(call_.since);
  Result<std::unique_ptr<LiveSource>> source = LiveSource::open(pipeline_, line_, inlets_, tap_.get());
  if (!source) return give_up(name_ + " cannot be opened again: " + source.error().message);
  source_ = std::move(*source);
}

void Supervisor::give_up(const std::string& sentence) {
  if (std::exchange(stopped_, true)) return;
  listener_.on_given_up(sentence);
}

// A muxer that waits for pictures buffers all sound meanwhile, which is too much in a long outage.
void Supervisor::mute(bool shut) {
  if (std::exchange(muted_, shut) == shut) return;
  if (const gst::ElementPtr valve{gst_bin_get_by_name(GST_BIN(pipeline_), kSoundValve)})
    g_object_set(valve.get(), "drop", static_cast<gboolean>(shut), nullptr);
}

void Supervisor::end() {
  stopped_ = true;
  check_.reset();
  source_.reset();
  mute(false);  // the end of stream must pass
  // Not on the main thread: this waits for a frame that is being pushed.
  const auto end_all = [](GstElement* pipeline, gpointer data) {
    for (const std::shared_ptr<Inlet>& inlet : *static_cast<LiveSource::Inlets*>(data)) inlet->end();
    if (const gst::ElementPtr silence{gst_bin_get_by_name(GST_BIN(pipeline), kSilence)})
      gst_element_send_event(silence.get(), gst_event_new_eos());
  };
  gst_element_call_async(pipeline_, end_all, new LiveSource::Inlets(inlets_),
                         [](gpointer data) { delete static_cast<LiveSource::Inlets*>(data); });
}

std::optional<double> Supervisor::outage() const {
  const std::optional<Clock::time_point> since = clockwork_.lost_since();
  if (!since) return std::nullopt;
  return seconds(Clock::now() - *since);
}

std::string read_source_news(GstMessage* message, const std::string& name) {
  const GstStructure* news = gst_message_get_structure(message);
  double time = 0;
  if (news && gst_structure_has_name(news, kBack) && gst_structure_get_double(news, "outage", &time))
    return name + " is back after " + number_text("%.1f s", time);
  if (!news || !gst_structure_has_name(news, kLost) || !gst_structure_get_double(news, "retry-in", &time)) return {};
  gboolean was_there = TRUE;
  gst_structure_get_boolean(news, "was-there", &was_there);
  return name + (was_there ? " is lost (" : " is not there yet (") + gst_structure_get_string(news, "reason") +
         "); connecting again in " + number_text("%.1f s", time);
}

}  // namespace bcp::cli::run

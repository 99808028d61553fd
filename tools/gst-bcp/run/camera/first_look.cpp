// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/first_look.hpp"

#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>

#include <utility>

#include "gst-bcp/run/plan/faults.hpp"
#include "gst-bcp/run/plan/missing.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr guint kGlanceMilliseconds = 50;
constexpr std::chrono::seconds kLongestLook{15};

Media media_of(const GstCaps* caps, bool has_sound) {
  Media media;
  GstVideoInfo info;
  if (gst_video_info_from_caps(&info, caps)) {
    media.width = info.width;
    media.height = info.height;
    if (info.par_n > 0 && info.par_d > 0) media.par_n = info.par_n, media.par_d = info.par_d;
    if (info.fps_d > 0) media.rate = static_cast<double>(info.fps_n) / info.fps_d;
  }
  // The encoding of a camera's sound does not matter: it is decoded and encoded again.
  if (has_sound) media.sound = "audio/x-raw";
  return media;
}

}  // namespace

FirstLook::FirstLook(const LaunchLine& source, CameraCall call, Done done, const std::shared_ptr<StreamTap>& tap)
    : call_(std::move(call)), done_(std::move(done)) {
  pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  bus_watch_ = gst_bus_add_watch(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer self) -> gboolean {
        static_cast<FirstLook*>(self)->on_message(message);
        return TRUE;
      },
      this);
  timer_ = g_timeout_add(
      kGlanceMilliseconds,
      [](gpointer self) -> gboolean {
        static_cast<FirstLook*>(self)->tick();
        return TRUE;
      },
      this);
  Result<gst::ElementPtr> element = source.parse();
  // The first tick reports it: a constructor calls nothing back.
  if (!element) {
    missing_ = element.error().message;
    return;
  }
  gst_bin_add(GST_BIN(pipeline_.get()), element->get());
  source_ = LiveSource::hold(pipeline_.get(), kSource, tap.get());
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);  // a failure is on the bus
}

FirstLook::~FirstLook() {
  if (bus_watch_ != 0) g_source_remove(bus_watch_);
  if (timer_ != 0) g_source_remove(timer_);
  source_.reset();
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);  // it is empty
}

FirstLook::Connected FirstLook::take() {
  return {std::move(pipeline_), std::move(source_)};
}

void FirstLook::on_message(GstMessage* message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) return on_error(message);
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ELEMENT) return;
  if (gst_message_has_name(message, kNoVideoMessage))
    return fail(ErrorCode::kRuntime, camera_fault(CameraTrouble::kNoVideo, call_).sentence);
  if (!gst_is_missing_plugin_message(message)) return;
  const gst::CharPtr detail(gst_missing_plugin_message_get_installer_detail(message));
  if (detail) missing_ = detail.get();
}

void FirstLook::on_error(GstMessage* message) {
  if (!source_ || check_) return;
  GError* fault = nullptr;
  gchar* text = nullptr;
  gst_message_parse_error(message, &fault, &text);
  const gst::ErrorPtr error(fault);
  const gst::CharPtr debug(text);
  const bool no_decoder = g_error_matches(fault, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
                          g_error_matches(fault, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND);
  if (no_decoder && !missing_.empty()) return fail(ErrorCode::kUnsupported, missing_sentence(call_.name, missing_));
  if (const std::optional<CameraFault> known = fault_of_error(call_, *error, debug.get()))
    return fail(may_pass(known->trouble) ? ErrorCode::kRuntime : ErrorCode::kInvalid, known->sentence);
  if (is_failed_connection(call_, *error)) return check_network("");
  fail(no_decoder ? ErrorCode::kUnsupported : ErrorCode::kRuntime, pipeline_fault(call_.name, "", message));
}

void FirstLook::tick() {
  if (!source_) return fail(ErrorCode::kInvalid, call_.name + " cannot be opened: " + missing_);
  if (const gst::CapsPtr caps = source_->picture_caps()) return finish(media_of(caps.get(), source_->has_sound()));
  if (Clock::now() - call_.since > kLongestLook && !check_)
    check_network(call_.name + " has delivered nothing for 15 s: check the address, the network and the server");
}

// Fails with the cause. `otherwise`: what to say of a server that is reached; empty: that it gives no answer.
void FirstLook::check_network(const std::string& otherwise) {
  check_ = std::make_unique<NetworkCheck>(endpoint_of(call_.uri), [this, otherwise](Reach reach) {
    const bool reached = reach == Reach::kReached && !otherwise.empty();
    fail(ErrorCode::kRuntime, reached ? otherwise : fault_of_network(call_, reach).sentence);
  });
}

void FirstLook::fail(ErrorCode code, const std::string& sentence) {
  finish(Error{code, sentence});
}

void FirstLook::finish(const Result<Media>& media) {
  if (bus_watch_ != 0) g_source_remove(std::exchange(bus_watch_, 0));
  if (timer_ != 0) g_source_remove(std::exchange(timer_, 0));
  if (const Done done = std::exchange(done_, nullptr)) done(media);  // may delete this
}

}  // namespace bcp::cli::run

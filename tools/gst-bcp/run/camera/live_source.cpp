// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/live_source.hpp"

#include <gst/sdp/gstsdpmessage.h>
#include <malloc.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

#include "gst-bcp/run/plan/media.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

// Connections that are being closed.
struct Closing {
  std::mutex mutex;
  std::condition_variable none;
  int count = 0;
};

Closing& closing() {
  static auto* const all = new Closing;  // threads may outlive main()
  return *all;
}

// Each connection has its own threads, and glibc keeps freed memory per thread: after many connections that is a lot.
void return_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace

// State shared with the threads of the source. It exists as long as the last of them.
struct LiveSource::Shared {
  std::atomic<Clock::rep> last_packet{0};
  std::mutex state;  // held while the element changes its state; never taken on the main thread
  std::mutex linking;
  bool retired = false;  // under `linking`, as what follows
  Inlets inlets;         // none: pads are held
  struct Held {
    gst::PadPtr pad;
    gulong probe;
  };
  std::vector<Held> held;
  gst::CapsPtr picture_caps;  // of a held pad
  std::atomic<bool> has_sound{false};

  using Ptr = std::shared_ptr<Shared>;
  static Ptr& of(gpointer data) { return *static_cast<Ptr*>(data); }
  static void release(gpointer data) { delete static_cast<Ptr*>(data); }
  static void release_closure(gpointer data, GClosure*) { release(data); }

  static void connect(GstElement* element, const char* signal, GCallback call, const Ptr& shared) {
    g_signal_connect_data(element, signal, call, new Ptr(shared), release_closure, GConnectFlags(0));
  }

  bool is_retired() {
    const std::lock_guard lock(linking);
    return retired;
  }

  // The element that talks to the camera has been made. One for HTTP has its pad from the start.
  static void on_source(GstElement*, GstElement* source, gpointer data) {
    connect(source, "pad-added", G_CALLBACK(on_packets), of(data));
    if (g_signal_lookup("on-sdp", G_OBJECT_TYPE(source)) != 0) connect(source, "on-sdp", G_CALLBACK(on_sdp), of(data));
    if (const gst::PadPtr pad{gst_element_get_static_pad(source, "src")}) on_packets(source, pad.get(), data);
  }

  static void on_packets(GstElement*, GstPad* pad, gpointer data) {
    const auto types = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
    gst_pad_add_probe(
        pad, types,
        [](GstPad*, GstPadProbeInfo*, gpointer shared) {
          of(shared)->last_packet = Clock::now().time_since_epoch().count();
          return GST_PAD_PROBE_OK;
        },
        new Ptr(of(data)), release);
  }

  // What an RTSP camera says it has, before it sends any of it.
  static void on_sdp(GstElement* source, const GstSDPMessage* session, gpointer data) {
    bool has_video = false;
    for (guint i = 0; i < gst_sdp_message_medias_len(session); ++i) {
      const GstSDPMedia* media = gst_sdp_message_get_media(session, i);
      const std::string_view kind = gst_sdp_media_get_media(media);
      has_video |= kind == "video";
      // One that is "sendonly" is the camera's loudspeaker (an ONVIF back channel).
      if (kind == "audio" && !gst_sdp_media_get_attribute_val(media, "sendonly")) of(data)->has_sound = true;
    }
    if (!has_video)
      gst_element_post_message(source,
                               gst_message_new_element(GST_OBJECT(source), gst_structure_new_empty(kNoVideoMessage)));
  }

  // REQUIRES: `linking` is held.
  void hold(GstPad* pad, const Ptr& self) {
    const auto types = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
    const auto drop = [](GstPad* from, GstPadProbeInfo*, gpointer shared) {
      of(shared)->see_caps(from);
      return GST_PAD_PROBE_DROP;
    };
    held.push_back(
        {gst::PadPtr(GST_PAD(gst_object_ref(pad))), gst_pad_add_probe(pad, types, drop, new Ptr(self), release)});
  }

  void see_caps(GstPad* pad) {
    gst::CapsPtr caps(gst_pad_get_current_caps(pad));
    if (!caps || !g_str_has_prefix(gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)), "video/")) return;
    const std::lock_guard lock(linking);
    picture_caps = std::move(caps);
  }

  static void on_pad(GstElement*, GstPad* pad, gpointer data) {
    Shared& shared = *of(data);
    const std::lock_guard lock(shared.linking);
    if (shared.retired) return;
    if (shared.inlets.empty()) return shared.hold(pad, of(data));
    for (const std::shared_ptr<Inlet>& inlet : shared.inlets)
      if (inlet->take(pad)) return;
  }
};

LiveSource::LiveSource(GstElement* pipeline, gst::ElementPtr element, Inlets inlets, bool links, StreamTap* tap)
    : pipeline_(pipeline),
      element_(std::move(element)),
      shared_(std::make_shared<Shared>()),
      for_closing_(std::make_unique<Shared::Ptr>(shared_)) {
  shared_->inlets = std::move(inlets);
  shared_->connect(element_.get(), "source-setup", G_CALLBACK(Shared::on_source), shared_);
  expect_one_stream(element_.get());
  if (tap) tap->attach(element_.get());
  if (links) shared_->connect(element_.get(), "pad-added", G_CALLBACK(Shared::on_pad), shared_);
}

std::unique_ptr<LiveSource> LiveSource::adopt(GstElement* pipeline, const char* name, StreamTap* tap) {
  gst::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), name));
  if (!element) return nullptr;
  return std::unique_ptr<LiveSource>(new LiveSource(pipeline, std::move(element), {}, false, tap));
}

std::unique_ptr<LiveSource> LiveSource::hold(GstElement* pipeline, const char* name, StreamTap* tap) {
  gst::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), name));
  if (!element) return nullptr;
  std::unique_ptr<LiveSource> source(new LiveSource(pipeline, std::move(element), {}, true, tap));
  source->held_ = true;
  return source;
}

void LiveSource::connect_to(const Inlets& inlets) {
  std::vector<Shared::Held> held;
  held_ = false;
  {
    const std::lock_guard lock(shared_->linking);
    shared_->inlets = inlets;
    held = std::move(shared_->held);
    shared_->held.clear();
    for (const Shared::Held& each : held)
      for (const std::shared_ptr<Inlet>& inlet : inlets)
        if (inlet->take(each.pad.get())) break;
  }
  // Without the lock, which a frame that is being dropped takes.
  for (const Shared::Held& each : held) gst_pad_remove_probe(each.pad.get(), each.probe);
}

gst::CapsPtr LiveSource::picture_caps() const {
  const std::lock_guard lock(shared_->linking);
  return gst::CapsPtr(shared_->picture_caps ? gst_caps_ref(shared_->picture_caps.get()) : nullptr);
}

bool LiveSource::has_sound() const {
  return shared_->has_sound;
}

Result<std::unique_ptr<LiveSource>> LiveSource::open(GstElement* pipeline, const LaunchLine& line, const Inlets& inlets,
                                                     StreamTap* tap) {
  Result<gst::ElementPtr> element = line.parse();
  if (!element) return element.error();
  std::unique_ptr<LiveSource> source(new LiveSource(pipeline, std::move(*element), inlets, true, tap));
  // The source starts outside the pipeline's state: otherwise the pipeline would count as paused meanwhile, and would
  // stay so if the source failed, and never post EOS.
  g_object_set(source->element(), "async-handling", TRUE, nullptr);
  gst_bin_add(GST_BIN(pipeline), source->element());
  gst_element_call_async(
      source->element(),
      [](GstElement* self, gpointer data) {
        Shared& shared = *Shared::of(data);
        const std::lock_guard lock(shared.state);
        // In two steps: a live source in its own bin stays at PAUSED when set to PLAYING at once. A failure is posted
        // on the bus.
        for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING})
          if (!shared.is_retired()) gst_element_set_state(self, state);
      },
      new Shared::Ptr(source->shared_), Shared::release);
  return source;
}

LiveSource::~LiveSource() {
  Inlets inlets;
  std::vector<Shared::Held> held;
  {
    const std::lock_guard lock(shared_->linking);
    shared_->retired = true;
    inlets = std::move(shared_->inlets);
    held = std::move(shared_->held);
  }
  for (const Shared::Held& each : held) gst_pad_remove_probe(each.pad.get(), each.probe);
  // Out of the pipeline first: its messages and data are ignored from now on.
  gst_element_set_locked_state(element(), TRUE);
  gst_bin_remove(GST_BIN(pipeline_), element());
  {
    const std::lock_guard lock(closing().mutex);
    ++closing().count;
  }
  gst_element_call_async(
      element(),
      [](GstElement* self, gpointer data) {
        Shared& shared = *Shared::of(data);
        const std::lock_guard lock(shared.state);
        gst_element_set_state(self, GST_STATE_NULL);
      },
      for_closing_.release(),
      [](gpointer data) {
        Shared::release(data);
        return_memory();
        const std::lock_guard lock(closing().mutex);
        if (--closing().count == 0) closing().none.notify_all();
      });
}

LiveSource::Time LiveSource::last_packet() const {
  return Time(Clock::duration(shared_->last_packet.load()));
}

void LiveSource::wait_for_closing(std::chrono::milliseconds longest) {
  std::unique_lock lock(closing().mutex);
  closing().none.wait_for(lock, longest, [] { return closing().count == 0; });
}

}  // namespace bcp::cli::run

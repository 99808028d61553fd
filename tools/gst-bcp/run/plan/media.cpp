// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/media.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/run/plan/camera_fault.hpp"
#include "gst-bcp/run/plan/faults.hpp"
#include "gst-bcp/run/plan/missing.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr GstClockTime kPatience = 15 * GST_SECOND;
constexpr GstClockTime kPatienceForSource = 3 * GST_SECOND, kShortLook = 100 * GST_MSECOND;

// The type without the fields that vary between frames or files.
std::string type_of(GstDiscovererStreamInfo* stream) {
  const gst::CapsPtr caps(gst_discoverer_stream_info_get_caps(stream));
  if (!caps || gst_caps_get_size(caps.get()) == 0) return {};
  const GstStructure* s = gst_caps_get_structure(caps.get(), 0);
  std::string type = gst_structure_get_name(s);
  for (const char* field : {"mpegversion", "layer"}) {
    int value = 0;
    if (gst_structure_get_int(s, field, &value)) type += std::string(",") + field + "=" + std::to_string(value);
  }
  return type;
}

// "rotate-90", "flip-rotate-0", ...; empty if not set.
std::string orientation_of(const GstTagList* tags) {
  gchar* orientation = nullptr;
  if (!tags || !gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &orientation)) return {};
  const gst::CharPtr owned(orientation);
  return orientation;
}

Media media_of(GstDiscovererInfo* info, GstDiscovererVideoInfo* video) {
  Media media;
  if (const GstClockTime duration = gst_discoverer_info_get_duration(info);
      GST_CLOCK_TIME_IS_VALID(duration) && duration > 0)
    media.duration = duration;
  media.width = static_cast<int>(gst_discoverer_video_info_get_width(video));
  media.height = static_cast<int>(gst_discoverer_video_info_get_height(video));
  if (gst_discoverer_video_info_get_par_num(video) > 0 && gst_discoverer_video_info_get_par_denom(video) > 0) {
    media.par_n = static_cast<int>(gst_discoverer_video_info_get_par_num(video));
    media.par_d = static_cast<int>(gst_discoverer_video_info_get_par_denom(video));
  }
  if (gst_discoverer_video_info_get_framerate_denom(video) > 0)
    media.rate = static_cast<double>(gst_discoverer_video_info_get_framerate_num(video)) /
                 gst_discoverer_video_info_get_framerate_denom(video);
  std::string orientation = orientation_of(gst_discoverer_stream_info_get_tags(GST_DISCOVERER_STREAM_INFO(video)));
  if (orientation.empty()) orientation = orientation_of(gst_discoverer_info_get_tags(info));
  media.rotated = !orientation.empty() && orientation != "rotate-0";
  media.sideways = orientation.ends_with("90") || orientation.ends_with("270");
  return media;
}

// GLists of stream infos, freed at the end of the scope.
struct Streams {
  GList* list;
  ~Streams() { gst_discoverer_stream_info_list_free(list); }
};

// Why an address delivers nothing; unset if it delivers, or if the probe was dropped. The discoverer reports only the
// last of several errors, which does not help: "Internal data stream error".
std::optional<Error> source_fault(const char* uri, const std::string& name, const std::atomic<bool>& dropped) {
  GstElement* source = gst_element_make_from_uri(GST_URI_SRC, uri, nullptr, nullptr);
  if (!source) return std::nullopt;
  const gst::ElementPtr pipeline(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* sink = gst_element_factory_make("fakesink", nullptr);
  g_object_set(sink, "num-buffers", 1, nullptr);
  gst_bin_add_many(GST_BIN(pipeline.get()), source, sink, nullptr);
  gst_element_link(source, sink);  // fails if pads are added later; the connection is tried anyway
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const gst::BusPtr bus(gst_element_get_bus(pipeline.get()));
  gst::MessagePtr message;
  for (GstClockTime waited = 0; !message && !dropped && waited < kPatienceForSource; waited += kShortLook)
    message.reset(gst_bus_timed_pop_filtered(bus.get(), kShortLook,
                                             static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (!message || GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR) return std::nullopt;
  GError* fault = nullptr;
  gst_message_parse_error(message.get(), &fault, nullptr);
  const gst::ErrorPtr error(fault);
  return Error{is_refusal(*error) ? ErrorCode::kInvalid : ErrorCode::kRuntime, pipeline_fault(name, "", message.get())};
}

// As the pipeline does: otherwise the probe would wait for a camera whose UDP packets do not arrive.
void set_up(GstDiscoverer*, GstElement* source, gpointer) {
  if (const gst::ElementPtr bin{GST_ELEMENT(gst_object_get_parent(GST_OBJECT(source)))}) expect_one_stream(bin.get());
  const gst::CharPtr uri(GST_IS_URI_HANDLER(source) ? gst_uri_handler_get_uri(GST_URI_HANDLER(source)) : nullptr);
  if (uri && std::string_view(uri.get()).starts_with("rtsp://"))
    gst_util_set_object_arg(G_OBJECT(source), "protocols", "tcp");
}

Result<Media> read_info(const std::string& name, GstDiscovererInfo* info, const GError* error,
                        const std::atomic<bool>& dropped) {
  const Streams video{gst_discoverer_info_get_video_streams(info)};
  const Streams audio{gst_discoverer_info_get_audio_streams(info)};
  const GstDiscovererResult result = gst_discoverer_info_get_result(info);
  // A missing decoder of the sound or the subtitles is ignored as long as the video has one.
  const bool decoded =
      video.list && gst_discoverer_video_info_get_width(GST_DISCOVERER_VIDEO_INFO(video.list->data)) > 0;
  if (result == GST_DISCOVERER_MISSING_PLUGINS && !decoded) {
    const gchar** details = gst_discoverer_info_get_missing_elements_installer_details(info);
    std::string chosen = details && details[0] ? details[0] : "";
    for (; details && *details; ++details)
      if (std::string_view(*details).find("video/") != std::string_view::npos) chosen = *details;
    return Error{ErrorCode::kUnsupported, missing_sentence(name, chosen)};
  }
  // A demuxer may wait for ever for the first frame of such a picture (GStreamer 1.26, HEIC) instead of failing.
  const gst::CharPtr path{g_filename_from_uri(gst_discoverer_info_get_uri(info), nullptr, nullptr)};
  const bool failed = result == GST_DISCOVERER_TIMEOUT || (result == GST_DISCOVERER_ERROR && error);
  if (failed && path)
    if (const std::string sentence = undecodable_picture(name, path.get()); !sentence.empty())
      return Error{ErrorCode::kUnsupported, sentence};
  if (result == GST_DISCOVERER_TIMEOUT)
    return Error{ErrorCode::kRuntime, name +
                                          " has delivered nothing for 15 s: check the address, the network and the "
                                          "server"};
  if (result == GST_DISCOVERER_URI_INVALID)
    return Error{ErrorCode::kInvalid, name + " is not an address that GStreamer can open: check its spelling"};
  if (!video.list && audio.list) return Error{ErrorCode::kInvalid, name + " contains only sound: give a video"};
  if (result == GST_DISCOVERER_ERROR && error) {
    if (is_address(name))
      if (const std::optional<Error> first = source_fault(gst_discoverer_info_get_uri(info), name, dropped))
        return *first;
    return Error{ErrorCode::kRuntime, input_fault(name, *error)};
  }
  if (!video.list)
    return Error{ErrorCode::kInvalid, name +
                                          " is not a video that GStreamer can read: give a video file "
                                          "(gst-discoverer-1.0 shows the contents of a file)"};
  Media media = media_of(info, GST_DISCOVERER_VIDEO_INFO(video.list->data));
  if (audio.list) media.sound = type_of(GST_DISCOVERER_STREAM_INFO(audio.list->data));
  return media;
}

}  // namespace

void expect_one_stream(GstElement* bin) {
  const auto on_element = [](GstBin*, GstBin*, GstElement* element, gpointer) {
    GstElementFactory* factory = gst_element_get_factory(element);
    if (factory && std::string_view(GST_OBJECT_NAME(factory)) == "multipartdemux")
      g_object_set(element, "single-stream", TRUE, nullptr);
  };
  g_signal_connect(bin, "deep-element-added", G_CALLBACK(+on_element), nullptr);
}

// Shared by the probe and its thread.
struct MediaProbe::Shared {
  Shared(std::string uri_given, std::string name_given) : uri(std::move(uri_given)), name(std::move(name_given)) {}
  ~Shared() {
    g_main_loop_unref(loop);
    g_main_context_unref(context);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  const std::string uri, name;
  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  GMainContext* const context = g_main_context_new();
  GMainLoop* const loop = g_main_loop_new(context, FALSE);
  std::atomic<bool> dropped{false};
  Done done;  // of the main thread
  // Of the probe's thread:
  Result<Media> media = Error{ErrorCode::kRuntime, ""};

  static void on_discovered(GstDiscoverer*, GstDiscovererInfo* info, GError* error, gpointer self) {
    auto& shared = *static_cast<Shared*>(self);
    if (const auto refused = certificate_fault({shared.name, shared.uri, shared.began}))
      shared.media = Error{ErrorCode::kRuntime, refused->sentence};
    else
      shared.media = read_info(shared.name, info, error, shared.dropped);
    g_main_loop_quit(shared.loop);
  }

  // On the probe's thread; the discoverer works from its main context.
  void look() {
    GError* fault = nullptr;
    GstDiscoverer* discoverer = gst_discoverer_new(kPatience, &fault);
    const gst::ErrorPtr error(fault);
    if (!discoverer) {
      media = Error{ErrorCode::kUnsupported, input_fault(name, *error)};
      return;
    }
    g_signal_connect(discoverer, "discovered", G_CALLBACK(on_discovered), this);
    g_signal_connect(discoverer, "source-setup", G_CALLBACK(set_up), nullptr);
    gst_discoverer_start(discoverer);
    if (gst_discoverer_discover_uri_async(discoverer, uri.c_str()))
      g_main_loop_run(loop);
    else
      media = Error{ErrorCode::kInvalid, name + " cannot be opened: check its spelling"};
    g_signal_handlers_disconnect_by_data(discoverer, this);
    gst_discoverer_stop(discoverer);
    g_object_unref(discoverer);
  }
};

namespace {

// Threads of probes.
struct Probing {
  std::mutex mutex;
  std::condition_variable none;
  int count = 0;
};

Probing& probing() {
  static auto* const all = new Probing;  // threads may outlive main()
  return *all;
}

}  // namespace

MediaProbe::MediaProbe(const std::string& uri, const std::string& name, Done done)
    : shared_(std::make_shared<Shared>(uri, name)) {
  shared_->done = std::move(done);
  {
    const std::lock_guard lock(probing().mutex);
    ++probing().count;
  }
  std::thread([shared = shared_] {
    g_main_context_push_thread_default(shared->context);
    shared->look();
    g_main_context_pop_thread_default(shared->context);
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        [](gpointer data) -> gboolean {
          Shared& looked = **static_cast<std::shared_ptr<Shared>*>(data);
          if (!looked.dropped) std::exchange(looked.done, nullptr)(looked.media);
          return G_SOURCE_REMOVE;
        },
        new std::shared_ptr<Shared>(shared), [](gpointer data) { delete static_cast<std::shared_ptr<Shared>*>(data); });
    const std::lock_guard lock(probing().mutex);
    if (--probing().count == 0) probing().none.notify_all();
  }).detach();
}

MediaProbe::~MediaProbe() {
  shared_->dropped = true;
  // From inside the loop: it may not have begun to run.
  GSource* quit = g_idle_source_new();
  g_source_set_callback(
      quit, [](gpointer loop) -> gboolean { return g_main_loop_quit(static_cast<GMainLoop*>(loop)), G_SOURCE_REMOVE; },
      shared_->loop, nullptr);
  g_source_attach(quit, shared_->context);
  g_source_unref(quit);
}

void MediaProbe::wait_for_all(std::chrono::milliseconds longest) {
  std::unique_lock lock(probing().mutex);
  probing().none.wait_for(lock, longest, [] { return probing().count == 0; });
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/encoding.hpp"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "gst-bcp/run/plan/missing.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

const std::vector<Container>& containers() {
  static const std::string kAac = "audio/mpeg,mpegversion=4", kMp3 = "audio/mpeg,mpegversion=1,layer=3",
                           kOpus = "audio/x-opus", kVorbis = "audio/x-vorbis", kAc3 = "audio/x-ac3",
                           kFlac = "audio/x-flac", kH264 = "video/x-h264";
  static const std::vector<Container> all = {
      {{".mp4", ".m4v"}, "mp4mux", {kH264}, {kAac, kMp3, kOpus, kAc3}, kAac},
      {{".mov"}, "qtmux", {kH264}, {kAac, kMp3, kAc3}, kAac},
      {{".mkv"}, "matroskamux", {kH264}, {kAac, kMp3, kOpus, kVorbis, kAc3, kFlac}, kOpus},
      {{".webm"}, "webmmux", {"video/x-vp9", "video/x-vp8"}, {kOpus, kVorbis}, kOpus},
  };
  return all;
}

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), g_ascii_tolower);
  return ending;
}

bool exists(const std::string& factory) {
  GstElementFactory* found = gst_element_factory_find(factory.c_str());
  if (found) gst_object_unref(found);
  return found != nullptr;
}

// The factories of a type that make these caps, by rank; those ranked "none" are never chosen automatically.
std::vector<std::string> makers(GstElementFactoryListType type, const std::string& made, GstRank least) {
  const gst::CapsPtr caps(gst_caps_from_string(made.c_str()));
  GList* all = gst_element_factory_list_get_elements(type, least);
  GList* fit = gst_element_factory_list_filter(all, caps.get(), GST_PAD_SRC, FALSE);
  fit = g_list_sort(fit, gst_plugin_feature_rank_compare_func);
  std::vector<std::string> names;
  for (GList* item = fit; item; item = item->next) {
    // An element with ANY caps (encodebin) does not count as an encoder of these.
    if (gst_element_factory_can_src_any_caps(GST_ELEMENT_FACTORY(item->data), caps.get()) &&
        !std::string_view(GST_OBJECT_NAME(item->data)).starts_with("encodebin"))
      names.emplace_back(GST_OBJECT_NAME(item->data));
  }
  gst_plugin_feature_list_free(fit);
  gst_plugin_feature_list_free(all);
  return names;
}

// Whether a few frames can be encoded: only this detects missing hardware or a missing library.
bool works(const std::string& encoder) {
  LaunchLine line;
  line.element("videotestsrc").set("num-buffers", "3").caps("video/x-raw,width=320,height=240,framerate=30/1");
  line.element("videoconvert").element(encoder).element("fakesink");
  const Result<gst::ElementPtr> pipeline = line.parse();
  if (!pipeline) return false;
  gst_element_set_state(pipeline->get(), GST_STATE_PLAYING);
  const gst::BusPtr bus(gst_element_get_bus(pipeline->get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), 5 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline->get(), GST_STATE_NULL);
  return end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
}

constexpr auto kVideoEncoders = GST_ELEMENT_FACTORY_TYPE_ENCODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO;
constexpr auto kAudioEncoders = GST_ELEMENT_FACTORY_TYPE_ENCODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_AUDIO;

std::string people_call(const std::string& caps) {
  if (caps == "video/x-h264") return "H.264";
  if (caps == "video/x-vp9") return "VP9";
  return "VP8";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Result<std::string> check_encoder(const Container& container, const std::string& name) {
  std::vector<std::string> fit;
  for (const std::string& caps : container.video) {
    const std::vector<std::string> some = makers(kVideoEncoders, caps, GST_RANK_NONE);
    fit.insert(fit.end(), some.begin(), some.end());
  }
  const std::string ending = container.endings.front();
  if (!exists(name)) {
    const std::string package = package_of(name);
    return Error{ErrorCode::kNotFound, "there is no encoder " + name + ": " +
                                           (package.empty() ? "choose one of " + joined(fit) : "install " + package)};
  }
  if (std::find(fit.begin(), fit.end(), name) == fit.end())
    return Error{ErrorCode::kInvalid,
                 name + " makes no format that is possible in " + ending + ": choose one of " + joined(fit)};
  if (!works(name))
    return Error{
        ErrorCode::kUnsupported,
        "the encoder " + name + " does not work on this machine: leave out --encoder to use the best one that works"};
  return name;
}

Result<std::string> best_encoder(const Container& container) {
  for (const std::string& caps : container.video)
    for (const std::string& name : makers(kVideoEncoders, caps, GST_RANK_MARGINAL))
      if (works(name)) return name;
  const bool h264 = container.video.front() == "video/x-h264";
  std::string names;
  for (const std::string& caps : container.video) names += (names.empty() ? "" : " or ") + people_call(caps);
  return Error{ErrorCode::kUnsupported,
               "no encoder for " + names + " works here, which " + container.endings.front() + " files need: install " +
                   (h264 ? package_of("x264enc") + " (x264enc) or " + package_of("openh264enc") + " (openh264enc)"
                         : package_of("vp9enc") + " (vp9enc)")};
}

bool has_property(const std::string& factory, const char* name) {
  const gst::ElementPtr element(gst_element_factory_make(factory.c_str(), nullptr));
  if (!element) return false;
  gst_object_ref_sink(element.get());
  return g_object_class_find_property(G_OBJECT_GET_CLASS(element.get()), name) != nullptr;
}

// Bits per second for encoders without a quality setting: a tenth of a bit per pixel.
long bitrate_for(const Media& media) {
  const double pixels = media.width > 0 ? static_cast<double>(media.width) * media.height : 1280 * 720;
  const double rate = media.rate > 0 ? media.rate : 30;
  return std::lround(std::clamp(pixels * rate * 0.1, 500e3, 40e6));
}

}  // namespace

Result<const Container*> container_for(const std::string& path) {
  const std::string ending = lower_ending(path);
  std::string known;
  for (const Container& container : containers()) {
    for (const std::string& one : container.endings) {
      if (one == ending) return &container;
      known += (known.empty() ? "" : ", ") + one;
    }
  }
  return Error{ErrorCode::kInvalid,
               path + (ending.empty() ? " has no file extension" : " has the unknown file extension " + ending) +
                   ": use one of " + known + ", or add a slash to name a folder"};
}

bool has_container(const std::string& path) {
  return static_cast<bool>(container_for(path));
}

Result<std::string> choose_video_encoder(const Container& container, const std::string& name) {
  static std::map<std::string, std::string> chosen;  // by muxer
  if (const auto known = chosen.find(container.muxer); known != chosen.end()) return known->second;
  if (!exists(container.muxer))
    return Error{ErrorCode::kUnsupported, "GStreamer has no " + container.muxer + " here, which " +
                                              container.endings.front() + " files need: install " +
                                              package_of(container.muxer)};
  const Result<std::string> found = name.empty() ? best_encoder(container) : check_encoder(container, name);
  if (found) chosen[container.muxer] = *found;
  return found;
}

void add_video_encoder(LaunchLine& line, const std::string& encoder, const Media& media, bool live) {
  const std::string key_frames = std::to_string(media.rate > 0 ? std::max(1L, std::lround(media.rate * 2)) : 60L);
  const long bitrate = bitrate_for(media);
  line.element(encoder);
  if (encoder == "x264enc") {
    line.set("speed-preset", "veryfast").set("pass", "qual").set("quantizer", "23").set("key-int-max", key_frames);
    // The muxers of .mp4 and .mov add up the times between frames in decoding order. If frames are reordered and their
    // rate varies, the sum ends before the last frame is shown, and players skip that frame.
    line.set("bframes", "0");
    if (live) line.set("tune", "zerolatency");
  } else if (encoder == "openh264enc") {
    line.set("complexity", "low").set("bitrate", std::to_string(bitrate)).set("gop-size", key_frames);
  } else if (encoder == "vp9enc" || encoder == "vp8enc") {
    line.set("deadline", "1").set("cpu-used", encoder == "vp9enc" ? "6" : "8").set("threads", "4");
    line.set("end-usage", "cq").set("cq-level", encoder == "vp9enc" ? "32" : "20");
    line.set("target-bitrate", std::to_string(bitrate * 2)).set("keyframe-max-dist", key_frames);
    if (encoder == "vp9enc") line.set("row-mt", "true");
  } else {
    for (const char* name : {"key-int-max", "gop-size", "keyframe-period"}) {
      if (!has_property(encoder, name)) continue;
      line.set(name, key_frames);
      break;
    }
    // Hardware encoders count in kilobits.
    if (has_property(encoder, "bitrate")) line.set("bitrate", std::to_string(bitrate / 1000));
  }
  if (encoder.find("h264") != std::string::npos || encoder.find("x264") != std::string::npos) line.element("h264parse");
}

namespace {

constexpr const char* kMixer = "mixer";

// As long as the delay of the video encoder; encoded sound is small.
void add_sound_queue(LaunchLine& line, const char* name) {
  line.element("queue").name(name).set("max-size-time", "0").set("max-size-bytes", "0").set("max-size-buffers", "0");
  line.into("mux");
}

}  // namespace

bool takes(const Container& container, const std::string& sound) {
  return std::find(container.sound.begin(), container.sound.end(), sound) != container.sound.end();
}

bool add_sound(LaunchLine& line, const Container& container, const std::string& sound, const char* from,
               const char* queue) {
  static const std::map<std::string, std::string> parsers = {
      {"audio/mpeg,mpegversion=4", "aacparse"},
      {"audio/mpeg,mpegversion=1,layer=3", "mpegaudioparse"},
      {"audio/x-ac3", "ac3parse"},
      {"audio/x-flac", "flacparse"},
      {"audio/x-opus", "opusparse"},
  };
  if (takes(container, sound)) {
    line.branch(from).caps(sound);
    if (const auto parser = parsers.find(sound); parser != parsers.end() && exists(parser->second))
      line.element(parser->second);
  } else {
    const std::vector<std::string> encoders = makers(kAudioEncoders, container.new_sound, GST_RANK_MARGINAL);
    if (encoders.empty()) return false;
    line.branch(from).element("audioconvert").element("audioresample").element(encoders.front());
  }
  add_sound_queue(line, queue);
  return true;
}

bool add_camera_sound(LaunchLine& line, const Container& container, const CameraSound& names) {
  const std::vector<std::string> encoders = makers(kAudioEncoders, container.new_sound, GST_RANK_MARGINAL);
  if (encoders.empty()) return false;
  constexpr const char* kFormat = "audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=2";
  line.branch(names.from).element("audioconvert").name(names.inlet).element("audioresample").caps(kFormat);
  line.into(kMixer);
  line.element("audiotestsrc").name(names.silence).set("is-live", "true").set("wave", "silence").caps(kFormat);
  line.into(kMixer);
  line.element("audiomixer").name(kMixer).element("audioconvert").element(encoders.front());
  line.element("valve").name(names.valve);
  add_sound_queue(line, names.queue);
  return true;
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/recipe.hpp"

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/run/plan/missing.hpp"

namespace bcp::cli::run {
namespace {

// How long to wait for a camera's packets. GStreamer's default is two seconds.
constexpr const char* kCameraLatency = "200";

bool overlay_exists() {
  GstElementFactory* factory = gst_element_factory_find("bcpoverlay");
  if (factory) gst_object_unref(factory);
  return factory != nullptr;
}

void add_tagger(LaunchLine& line, const Recipe& recipe) {
  line.element("bcptagger").name(kTagger).set("source-id", recipe.source_id).set("post-messages", "results");
  // A live video never waits for the model. Set here: before the camera is connected, the element cannot detect that.
  if (recipe.kind == InputKind::kLive) line.set("mode", "async");
  for (const auto& [property, value] : recipe.tagger) line.set(property, value);
  if (!recipe.jsonl.empty()) {
    line.element("bcppublish").name(kResults).set("location", recipe.jsonl);
    if (recipe.append) line.set("append", "true");
    if (recipe.all_labels) line.set("all-labels", "true");
  }
  if (!recipe.page_results.empty()) line.element("bcppublish").set("location", recipe.page_results);
}

void add_overlay(LaunchLine& line, const Recipe& recipe) {
  if (!recipe.overlay || !overlay_exists()) return;
  line.element("bcpoverlay");
  if (recipe.compare) line.set("compare", "true");
}

// Formats that a recording stores as they are; others are ignored, so that a camera with such a sound still works.
constexpr const char* kStoredSound = "audio/mpeg;audio/x-opus;audio/x-vorbis;audio/x-ac3;audio/x-alaw;audio/x-mulaw";

// Only where the end of a branch without data is certain: a camera's inlets are ended by its supervisor.
bool records_sound(const Recipe& recipe) {
  return recipe.record && (may_return(recipe) || !recipe.media.sound.empty());
}

LaunchLine source_line(const Recipe& recipe, bool with_sound) {
  LaunchLine line;
  line.element("uridecodebin").name(kSource).set("uri", recipe.uri);
  // Unused streams are not decoded, and need not be linked.
  std::string wanted = "video/x-raw(ANY)";
  if (!with_sound && records_sound(recipe)) {
    wanted += std::string(";") + kStoredSound;
  } else if (with_sound) {
    const bool as_it_comes = !may_return(recipe) && takes(*recipe.container, recipe.media.sound);
    wanted += ";" + (as_it_comes ? recipe.media.sound : "audio/x-raw(ANY)");
  }
  line.set("caps", wanted).set("expose-all-streams", "false");
  if (recipe.uri.starts_with("rtsp")) line.set("source::latency", kCameraLatency);
  // Inside the TLS connection for rtsps://, which does not protect UDP.
  if (recipe.uri.starts_with("rtsp://") || recipe.uri.starts_with("rtsps://")) line.set("source::protocols", "tcp");
  if (recipe.accept_any_certificate && recipe.uri.starts_with("rtsps")) line.set("source::tls-validation-flags", "0");
  if (recipe.accept_any_certificate && recipe.uri.starts_with("https://")) line.set("source::ssl-strict", "false");
  return line;
}

bool add_sound_branch(LaunchLine& line, const Recipe& recipe) {
  if (may_return(recipe))
    return add_camera_sound(line, *recipe.container, {kSource, kSoundInlet, kSilence, kSoundValve, kSound});
  return add_sound(line, *recipe.container, recipe.media.sound, kSource, kSound);
}

// In front of the tagger.
void add_pace(LaunchLine& line, const Recipe& recipe) {
  line.branch(kSource).element("capsfilter").name(kVideoInlet).set("caps", "video/x-raw");
  if (recipe.kind == InputKind::kLive && !is_live_address(recipe.uri)) line.element("clocksync");
  line.element("queue").name(kWaitingQueue).set("max-size-buffers", "4").set("max-size-bytes", "0");
  line.set("max-size-time", "0");
}

// A format that every encoder accepts, the same from start to end: containers do not support a changing size.
void add_shape(LaunchLine& line, const Media& media) {
  if (media.rotated) line.element("videoflip").set("video-direction", "auto");
  std::string caps = "video/x-raw,format={(string)I420,(string)NV12}";
  if (media.width > 0 && media.height > 0) {
    const auto even = [](int side) { return std::to_string(side < 2 ? 2 : side - side % 2); };
    const int width = media.sideways ? media.height : media.width, height = media.sideways ? media.width : media.height;
    const int par_n = media.sideways ? media.par_d : media.par_n, par_d = media.sideways ? media.par_n : media.par_d;
    line.element("videoscale").set("add-borders", "true");
    caps += ",width=" + even(width) + ",height=" + even(height) + ",pixel-aspect-ratio=" + std::to_string(par_n) + "/" +
            std::to_string(par_d);
  }
  line.element("videoconvert").caps(caps);
}

Prepared prepare_pictures(const Recipe& recipe) {
  Prepared prepared;
  LaunchLine& line = prepared.line;
  line.element("appsrc").name(kSource).set("format", "time").set("block", "true").set("max-buffers", "2");
  line.set("max-bytes", "0");
  add_tagger(line, recipe);
  if (recipe.pictures_out) {
    add_overlay(line, recipe);
    line.element("videoconvert").caps("video/x-raw,format=BGR");
    line.element("appsink").name(kPictures).set("max-buffers", "2");
  } else {
    line.element("fakesink");
  }
  line.set("sync", "false");
  return prepared;
}

}  // namespace

bool may_return(const Recipe& recipe) {
  return recipe.kind == InputKind::kLive && is_address(recipe.uri) && !recipe.uri.starts_with("file://");
}

namespace {

Prepared prepare_stream(const Recipe& recipe) {
  Prepared prepared;
  LaunchLine& line = prepared.line;
  const bool live = recipe.kind == InputKind::kLive;
  LaunchLine sound;
  const bool has_sound = recipe.container && !recipe.media.sound.empty();
  const bool with_sound = has_sound && add_sound_branch(sound, recipe);
  if (has_sound && !with_sound)
    prepared.remark = "the video will have no sound: there is no encoder for " + recipe.container->new_sound +
                      "; install " +
                      package_of(recipe.container->new_sound == "audio/x-opus" ? "opusenc" : "avenc_aac");

  prepared.source = source_line(recipe, with_sound);
  line.append(prepared.source);
  add_pace(line, recipe);
  add_tagger(line, recipe);
  if (!recipe.container) {
    line.element("fakesink").set("sync", "false");
    if (live) line.set("async", "false");
    if (!with_sound && records_sound(recipe)) {
      // Taken out of the source by a tap (camera/stream_tap.hpp); a stream that ends nowhere would stop.
      line.branch(kSource).element("capsfilter").name(kSoundInlet).set("caps", kStoredSound);
      line.element("fakesink").set("sync", "false").set("async", "false");
    }
    return prepared;
  }
  add_shape(line, recipe.media);
  add_overlay(line, recipe);
  // Encoding on its own thread. If the encoder is slower than a camera, frames are dropped here instead of queued.
  line.element("queue").set("max-size-bytes", "0").set("max-size-time", "0");
  if (live)
    line.set("max-size-buffers", "10").set("leaky", "downstream");
  else
    line.set("max-size-buffers", "4");
  add_video_encoder(line, recipe.encoder, recipe.media, live);
  line.element("queue").into("mux");
  if (with_sound) line.append(sound);
  line.branch().element(recipe.container->muxer).name("mux");
  if (recipe.container->muxer == "mp4mux" || recipe.container->muxer == "qtmux") {
    if (live) {
      // What is written can be played at any time, also after a crash. Not first-moov-then-finalise, which would make
      // an ordinary file at the end: in GStreamer 1.22 some of its fragments with sound lack the sizes of samples, so
      // that the whole file cannot be read before its end, and its end hides all fragments before their index is
      // written.
      line.set("fragment-duration", "2000").set("fragment-mode", "dash-or-mss");
    } else {
      line.set("faststart", "true");
      // In the video's folder: the system's temporary folder may be small.
      if (!recipe.video_aside.empty()) line.set("faststart-file", recipe.video_aside);
    }
  }
  line.element("filesink").set("location", recipe.video);
  // A camera may connect later: playing does not wait for a first frame. What is muxed must not wait in a buffer.
  if (live) line.set("async", "false").set("buffer-mode", "unbuffered");
  return prepared;
}

}  // namespace

Prepared prepare(const Recipe& recipe) {
  if (recipe.kind == InputKind::kPictures) return prepare_pictures(recipe);
  Prepared prepared = prepare_stream(recipe);
  prepared.rest = prepared.line.behind(prepared.source, kSource);
  return prepared;
}

}  // namespace bcp::cli::run

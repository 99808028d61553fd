// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What skip-static saves, and what it misses: every clip is labelled twice, with skip-static off and on, and the shown
// labels are compared frame by frame. Besides clips there are scenes made from a single frame: frozen, with the noise
// of a sensor, encoded at a low bitrate, fading, and with a small picture that enters and stands still.
//
//   bench-still [--quick] BUNDLE BACKGROUND OBJECT [CLIP...]
//
// BACKGROUND and OBJECT are clips whose first frames make the scenes. First it measures the change detector, and the
// cost of a frame that is not due in async mode.

#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gst/bcp/gstbcpmeta.h"
#include "gst_stats.hpp"
#include "image/change_detector.hpp"

namespace {

constexpr int kWidth = 640, kHeight = 360, kRate = 25;

// ---- the detector alone

double microseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Pixels {
  const char* name;
  bcp::image::Layout layout;
  int step;
};

// The median over 64 MB of frames in turn. Few lines of large frames are read, which the last-level cache may hold.
void time_detector(const Pixels& pixels, int width, int height, int rounds) {
  bcp::image::PictureFormat format;
  format.layout = pixels.layout;
  format.width = width;
  format.height = height;
  format.pixel_step = format.luma_step = pixels.step;
  const std::size_t stride = std::size_t(width) * std::size_t(pixels.step), size = stride * std::size_t(height);
  std::vector<std::vector<std::uint8_t>> frames(64'000'000 / size + 2, std::vector<std::uint8_t>(size));
  for (std::size_t i = 0; i < frames.size(); ++i) std::memset(frames[i].data(), static_cast<int>(i), size);
  const bcp::image::Rect centre{(width - height) / 2, 0, height, height};
  bcp::image::ChangeDetector detector;
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    bcp::image::Picture picture;
    picture.plane[0] = frames[static_cast<std::size_t>(i) % frames.size()].data();
    picture.stride[0] = static_cast<std::ptrdiff_t>(stride);
    const double start = microseconds();
    const std::optional<double> change = detector.look(format, centre, picture);
    times.push_back(microseconds() - start);
    detector.keep();
    bench::require(i == 0 || (change && *change >= 1), "the detector did not see that frames differ");
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  std::printf("  %-5s %4dx%-4d  %6.1f us\n", pixels.name, width, height, times[static_cast<std::size_t>(rounds / 2)]);
}

// ---- labelled videos

// Changes frame number i in place.
using Change = std::function<void(int i, GstVideoFrame& frame)>;

struct Scene {
  std::string name, source;  // ending in raw video
  Change change = nullptr;
  std::string after = {};  // elements after the change
};

struct Labelled {
  std::vector<std::set<std::string>> shown;  // frame by frame
  double scored = 0, skipped = 0;
};

struct Probe {
  const Change* change;
  int frame = 0;
  Labelled labelled;
};

GstPadProbeReturn change_frame(GstPad* pad, GstPadProbeInfo* info, gpointer user) {
  auto& probe = *static_cast<Probe*>(user);
  GstCaps* caps = gst_pad_get_current_caps(pad);
  GstVideoInfo video;
  bench::require(caps && gst_video_info_from_caps(&video, caps), "frames without caps");
  gst_caps_unref(caps);
  GstBuffer* buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  GstVideoFrame frame;
  bench::require(gst_video_frame_map(&frame, &video, buffer, GST_MAP_READWRITE), "a frame cannot be written");
  (*probe.change)(probe.frame++, frame);
  gst_video_frame_unmap(&frame);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn note_labels(GstPad*, GstPadProbeInfo* info, gpointer user) {
  auto& labelled = static_cast<Probe*>(user)->labelled;
  labelled.shown.emplace_back();
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(GST_PAD_PROBE_INFO_BUFFER(info));
  if (!meta) return GST_PAD_PROBE_OK;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(meta->result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k)
    if (gst_bcp_result_is_shown(meta->result, k)) labelled.shown.back().insert(gst_bcp_labels_get_name(labels, k));
  return GST_PAD_PROBE_OK;
}

void add_probe(GstElement* pipeline, const char* name, GstPadProbeCallback callback, Probe& probe) {
  GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstPad* pad = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, &probe, nullptr);
  gst_object_unref(pad);
  gst_object_unref(element);
}

GstElement* parse(const std::string& line) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  bench::require(!error, error ? error->message : "");
  return pipeline;
}

void run_to_end(GstElement* pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  GError* error = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
  bench::require(!error, error ? error->message : "");
  gst_message_unref(message);
  gst_object_unref(bus);
}

Labelled label(const Scene& scene, const std::string& bundle, bool skip) {
  const std::string line = scene.source + " ! identity name=change " + scene.after +
                           " ! bcptagger name=tagger mode=sync skip-static=" + (skip ? "on" : "off") +
                           " model=" + bundle + " ! fakesink";
  GstElement* pipeline = parse(line);
  Probe probe{.change = &scene.change, .labelled = {}};
  if (scene.change) add_probe(pipeline, "change", change_frame, probe);
  add_probe(pipeline, "tagger", note_labels, probe);
  run_to_end(pipeline);
  GstElement* tagger = gst_bin_get_by_name(GST_BIN(pipeline), "tagger");
  probe.labelled.scored = bench::stat(tagger, "scored");
  probe.labelled.skipped = bench::stat(tagger, "static-skipped");
  gst_object_unref(tagger);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return probe.labelled;
}

// The number of elements of a that are not in b.
std::size_t missing(const std::set<std::string>& a, const std::set<std::string>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](const auto& each) { return !b.count(each); }));
}

void compare(const Scene& scene, const std::string& bundle) {
  const Labelled off = label(scene, bundle, false), on = label(scene, bundle, true);
  const std::size_t frames = off.shown.size();
  bench::require(frames > 0 && on.shown.size() == frames, scene.name + ": frames were lost");
  bench::require(off.scored == static_cast<double>(frames) && off.skipped == 0, scene.name + ": not all were scored");
  bench::require(on.scored + on.skipped == static_cast<double>(frames), scene.name + ": frames were not counted");
  std::size_t labels = 0, missed = 0, extra = 0, same = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    labels += off.shown[i].size();
    missed += missing(off.shown[i], on.shown[i]);
    extra += missing(on.shown[i], off.shown[i]);
    same += off.shown[i] == on.shown[i];
  }
  const auto percent = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::printf("| %s | %zu | %.0f | %.1f %% | %.2f %% | %zu | %.2f %% | %.2f %% |\n", scene.name.c_str(), frames,
              on.scored, percent(static_cast<std::size_t>(on.skipped), frames), percent(same, frames), labels,
              percent(missed, labels), percent(extra, labels));
  std::fflush(stdout);
}

// ---- a frame that is not due

struct Passage {
  GstElement* tagger;
  int frames = 0;
  double entered = 0;
  std::vector<double> times;
};

void time_held_frame(const std::string& bundle, int frames) {
  GstElement* pipeline =
      parse("videotestsrc pattern=red num-buffers=" + std::to_string(frames) +
            " ! video/x-raw,format=NV12,width=1920,height=1080 ! identity name=before ! bcptagger name=tagger "
            "mode=async inference-interval=1000000 model=" +
            bundle + " ! fakesink");
  GstElement* tagger = gst_bin_get_by_name(GST_BIN(pipeline), "tagger");
  Passage passage{.tagger = tagger, .times = {}};
  const auto watch = [&](const char* name, GstPadProbeCallback callback) {
    GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline), name);
    GstPad* pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, &passage, nullptr);
    gst_object_unref(pad);
    gst_object_unref(element);
  };
  watch("before", [](GstPad*, GstPadProbeInfo*, gpointer user) {
    auto& passed = *static_cast<Passage*>(user);
    // All except the first have its labels.
    while (passed.frames++ == 1 && bench::stat(passed.tagger, "scored") == 0) g_usleep(1000), passed.frames = 1;
    passed.entered = microseconds();
    return GST_PAD_PROBE_OK;
  });
  watch("tagger", [](GstPad*, GstPadProbeInfo*, gpointer user) {
    auto& passed = *static_cast<Passage*>(user);
    passed.times.push_back(microseconds() - passed.entered);
    return GST_PAD_PROBE_OK;
  });
  run_to_end(pipeline);
  bench::require(bench::stat(tagger, "frames") == frames && bench::stat(tagger, "scored") == 1,
                 "one frame was due, and others were scored or it was not");
  bench::require(bench::stat(tagger, "held") == frames - 2, "frames carried no labels");
  gst_object_unref(tagger);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  bench::require(passage.times.size() == static_cast<std::size_t>(frames), "not every frame was timed");
  std::sort(passage.times.begin(), passage.times.end());
  std::printf("\na 1080p frame that is not due, on the streaming thread, mode=async: p50 %.1f us, p99 %.1f us\n",
              passage.times[passage.times.size() / 2], passage.times[passage.times.size() * 99 / 100]);
}

// ---- scenes

std::string decoded(const std::string& clip) {
  return "filesrc location=\"" + clip + "\" ! decodebin ! videoconvert ! video/x-raw,format=I420";
}

// The first frame for `seconds` seconds.
std::string frozen(const std::string& clip, int seconds) {
  return decoded(clip) + " ! videoscale ! video/x-raw,pixel-aspect-ratio=1/1,width=" + std::to_string(kWidth) +
         ",height=" + std::to_string(kHeight) + " ! imagefreeze num-buffers=" + std::to_string(seconds * kRate) +
         " ! video/x-raw,framerate=" + std::to_string(kRate) + "/1";
}

std::string encoded(int kilobits) {
  return " ! x264enc tune=zerolatency key-int-max=50 bitrate=" + std::to_string(kilobits) + " ! avdec_h264";
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

template <typename Fn>
void each_luma(GstVideoFrame& frame, Fn&& fn) {
  for (int y = 0; y < frame.info.height; ++y) {
    auto* row = static_cast<std::uint8_t*>(frame.data[0]) + y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    for (int x = 0; x < frame.info.width; ++x) row[x] = to_byte(fn(static_cast<double>(row[x])));
  }
}

// A sensor's noise, the same in every run.
Change noise(double sigma) {
  return [sigma](int i, GstVideoFrame& frame) {
    std::minstd_rand random(static_cast<unsigned>(i + 1));
    // Twelve uniform numbers would be closer to a normal distribution; three are close enough and faster.
    const auto draw = [&] { return static_cast<double>(random()) / static_cast<double>(random.max()) - 0.5; };
    each_luma(frame, [&](double value) { return value + 2 * sigma * (draw() + draw() + draw()); });
  };
}

Change fade(int seconds) {
  return [seconds](int i, GstVideoFrame& frame) {
    const double light = 1 - static_cast<double>(i) / (seconds * kRate);
    each_luma(frame, [&](double value) { return 16 + (value - 16) * light; });
    for (int plane : {1, 2}) {
      auto* at = static_cast<std::uint8_t*>(frame.data[plane]);
      const int size = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane) * GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane);
      for (int k = 0; k < size; ++k) at[k] = to_byte(128 + (at[k] - 128) * light);
    }
  };
}

// A small picture, mapped by its owner.
GstVideoFrame small_picture(const std::string& clip, int width, int height) {
  GstElement* pipeline =
      parse(decoded(clip) + " ! videoscale ! video/x-raw,format=I420,width=" + std::to_string(width) +
            ",height=" + std::to_string(height) + ",pixel-aspect-ratio=1/1 ! fakesink name=sink");
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  gst_element_get_state(pipeline, nullptr, nullptr, GST_CLOCK_TIME_NONE);
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstSample* sample = nullptr;
  g_object_get(sink, "last-sample", &sample, nullptr);
  bench::require(sample != nullptr, "no frame in " + clip);
  GstVideoInfo info;
  GstVideoFrame frame;
  bench::require(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
                     gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ),
                 "the first frame of " + clip + " cannot be read");
  gst_sample_unref(sample);  // the mapping keeps the buffer
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return frame;
}

// Enters from the left after a fifth of the time, within a second, stands still, and is gone for the last fifth.
Change visit(const GstVideoFrame& object, int seconds) {
  return [&object, seconds](int i, GstVideoFrame& frame) {
    const int begin = seconds * kRate / 5, end = seconds * kRate * 4 / 5;
    if (i < begin || i >= end) return;
    const double way = std::min(1.0, static_cast<double>(i - begin) / kRate);
    const int width = object.info.width, height = object.info.height;
    const int x = static_cast<int>(way * kWidth / 4) * 2, y = (kHeight / 2 - height / 3) / 2 * 2;
    for (int plane = 0; plane < 3; ++plane) {
      const int half = plane == 0 ? 1 : 2;
      for (int row = 0; row < height / half; ++row) {
        const auto* from =
            static_cast<const std::uint8_t*>(object.data[plane]) + row * GST_VIDEO_FRAME_PLANE_STRIDE(&object, plane);
        auto* to = static_cast<std::uint8_t*>(frame.data[plane]) +
                   (y / half + row) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane) + x / half;
        std::memcpy(to, from, static_cast<std::size_t>(width / half));
      }
    }
  };
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 4) return std::fprintf(stderr, "usage: bench-still [--quick] BUNDLE BACKGROUND OBJECT [CLIP...]\n"), 2;
  const std::string bundle = argv[1], background = argv[2], object = argv[3];

  std::printf("change detector, the middle square, processor time (median)\n");
  using bcp::image::Layout;
  for (const Pixels& pixels : {Pixels{"NV12", Layout::kYuv, 1},
                               {"YUY2", Layout::kYuv, 2},
                               {"RGB", Layout::kPacked, 3},
                               {"RGBx", Layout::kPacked, 4}})
    for (const auto& [width, height] : {std::pair(640, 360), std::pair(1920, 1080), std::pair(3840, 2160)})
      time_detector(pixels, width, height, quick ? 5 : 200);

  time_held_frame(bundle, quick ? 20 : 1000);

  const int seconds = quick ? 2 : 20;
  const GstVideoFrame small = small_picture(object, 160, 120);
  const std::string still = frozen(background, seconds);
  std::vector<Scene> scenes{
      {"frozen frame", still},
      {"frozen, noise of 4 levels", still, noise(4)},
      {"frozen, noise of 10 levels", still, noise(10)},
      {"frozen, noise of 4, 150 kbit/s", still, noise(4), encoded(150)},
      {"frozen, noise of 10, 300 kbit/s", still, noise(10), encoded(300)},
      {"slow fade to black", still, fade(seconds)},
      {"a small picture comes and goes", still, visit(small, seconds)},
  };
  if (quick) scenes.erase(scenes.begin() + 1, scenes.begin() + 6);
  for (int i = 4; i < argc; ++i) {
    const std::string clip = argv[i];
    scenes.push_back({clip.substr(clip.rfind('/') + 1), decoded(clip)});
  }
  std::printf(
      "\n| | frames | scored | inferences saved | frames with the same labels | labels shown with off | missed | "
      "extra |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Scene& scene : scenes) compare(scene, bundle);
  return 0;
}

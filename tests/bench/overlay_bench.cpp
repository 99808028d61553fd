// SPDX-License-Identifier: LGPL-2.1-or-later
// The cost of drawing the labels per frame, compared with GStreamer's blending of the same panel.

#include <benchmark/benchmark.h>
#include <gst/bcp/gstbcpmeta.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "overlay/panel.hpp"
#include "overlay/scene.hpp"
#include "support/owners.hpp"

namespace {

using namespace bcp;

constexpr int kLabels = 10;

// Ten labels with the corrections and colours of a busy frame. `step` changes the numbers.
gst::BcpResultPtr result(int step) {
  const char* names[kLabels] = {"car",   "person", "bicycle", "bus",  "motorbike",
                                "train", "dog",    "boat",    "bird", "potted plant"};
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, kLabels));
  const gst::BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  for (int i = 0; i < kLabels; ++i) {
    const auto k = static_cast<guint>(i);
    const double p = 0.05 + 0.01 * ((step * 7 + i * 9) % 90);
    const auto set = [&](GstBcpScoreField field, double value) {
      gst_bcp_result_builder_set_value(builder.get(), field, k, value);
    };
    set(GST_BCP_SCORE_FIELD_ZERO_SHOT, 20);
    set(GST_BCP_SCORE_FIELD_CORRECTION, 0.1 * ((step + i) % 40 - 20));
    set(GST_BCP_SCORE_FIELD_LOGIT, 20);
    set(GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX, p);
    set(GST_BCP_SCORE_FIELD_PROBABILITY, p);
    gst_bcp_result_builder_set_flags(builder.get(), k, i % 3 ? GST_BCP_SCORE_SHOWN : GST_BCP_SCORE_SHOWN_ZERO_SHOT);
  }
  gst_bcp_result_builder_set_pts(builder.get(), 0);
  gst_bcp_result_builder_set_anchor(builder.get(), 0, 0.9);
  gst_bcp_result_builder_set_samples(builder.get(), step);
  return gst::BcpResultPtr(gst_bcp_result_builder_end(builder.get()));
}

// A frame, mapped during its lifetime, and its buffer with a result on it.
struct Frame {
  Frame(GstVideoFormat format, int width, int height) {
    gst_video_info_set_format(&info, format, static_cast<guint>(width), static_cast<guint>(height));
    pixels.reset(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
    gst_buffer_memset(pixels.get(), 0, 255, GST_VIDEO_INFO_SIZE(&info));
    gst_video_frame_map(&frame, &info, pixels.get(), GST_MAP_READWRITE);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { gst_video_frame_unmap(&frame); }

  // Whether something was drawn: the frame was white, or all ones in its format.
  void check() {
    const auto* first = static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
    const auto changed =
        GST_VIDEO_INFO_SIZE(&info) - static_cast<gsize>(std::count(first, first + GST_VIDEO_INFO_SIZE(&info), 255));
    bench::require(changed > 10'000, "no panel is on the frame");
  }

  GstVideoInfo info;
  gst::BufferPtr pixels;
  GstVideoFrame frame;
};

gst::BufferPtr carrier(int step) {
  gst::BufferPtr buffer(gst_buffer_new());
  gst_buffer_add_bcp_meta(buffer.get(), result(step).get(), FALSE, 0);
  return buffer;
}

struct Size {
  int width, height;
};
Size size_of(const benchmark::State& state) {
  return {static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
}

void report(benchmark::State& state, const overlay::Image& image) {
  state.SetLabel("panel " + std::to_string(image.width) + "x" + std::to_string(image.height));
}

overlay::Image panel(const overlay::Settings& settings, const GstVideoInfo& info) {
  overlay::Painter painter;
  return painter.panel(overlay::panel_text(result(1).get(), false, settings), settings, overlay::Geometry::of(info));
}

// A frame with the same text as the last one: everything the element does, except GStreamer's own calls.
void unchanged(benchmark::State& state, GstVideoFormat format, bool compare) {
  const auto [width, height] = size_of(state);
  Frame frame(format, width, height);
  auto settings = std::make_shared<overlay::Settings>();
  settings->compare = compare;
  overlay::Scene scene;
  scene.set_info(frame.info);
  const gst::BufferPtr buffer = carrier(1);
  for (auto _ : state) {
    scene.update(buffer.get(), settings);
    scene.blend(frame.frame);
    benchmark::ClobberMemory();
  }
  bench::require(scene.drawn() == 1, "a panel that did not change was drawn again");
  frame.check();
  report(state, panel(*settings, frame.info));
}

// A result with other numbers on every frame: the panel is drawn and converted each time.
void changing(benchmark::State& state, GstVideoFormat format, bool compare) {
  const auto [width, height] = size_of(state);
  Frame frame(format, width, height);
  auto settings = std::make_shared<overlay::Settings>();
  settings->compare = compare;
  overlay::Scene scene;
  scene.set_info(frame.info);
  std::vector<gst::BufferPtr> buffers;
  for (int step = 0; step < 60; ++step) buffers.push_back(carrier(step));
  std::size_t next = 0;
  for (auto _ : state) {
    scene.update(buffers[next].get(), settings);
    scene.blend(frame.frame);
    next = (next + 1) % buffers.size();
  }
  bench::require(static_cast<benchmark::IterationCount>(scene.drawn()) == state.iterations(),
                 "a panel that changed was not drawn again");
  frame.check();
  report(state, panel(*settings, frame.info));
}

using Composition = std::unique_ptr<GstVideoOverlayComposition, decltype(&gst_video_overlay_composition_unref)>;

Composition composition_of(GstVideoOverlayRectangle* rectangle) {
  return {gst_video_overlay_composition_new(rectangle), gst_video_overlay_composition_unref};
}

// The same rectangle with AYUV pixels, so that blending into YUV needs no colour conversion.
Composition converted(GstVideoOverlayRectangle* rectangle) {
  constexpr auto flags = GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA;
  gint x = 0, y = 0;
  guint width = 0, height = 0;
  gst_video_overlay_rectangle_get_render_rectangle(rectangle, &x, &y, &width, &height);
  GstBuffer* pixels = gst_video_overlay_rectangle_get_pixels_unscaled_ayuv(rectangle, flags);
  GstVideoOverlayRectangle* other = gst_video_overlay_rectangle_new_raw(pixels, x, y, width, height, flags);
  Composition composition = composition_of(other);
  gst_video_overlay_rectangle_unref(other);
  return composition;
}

// The same panel with gst_video_overlay_composition_blend(), like most overlays: made once, blended into each frame.
void gstreamer(benchmark::State& state, GstVideoFormat format, bool compare, bool convert) {
  const auto [width, height] = size_of(state);
  Frame frame(format, width, height);
  overlay::Settings settings;
  settings.compare = compare;
  overlay::Picture picture(panel(settings, frame.info));
  GstVideoOverlayRectangle* rectangle = picture.rectangle(width, height);
  const Composition composition = convert ? converted(rectangle) : composition_of(rectangle);
  for (auto _ : state) {
    gst_video_overlay_composition_blend(composition.get(), &frame.frame);
    benchmark::ClobberMemory();
  }
  frame.check();
  report(state, picture.image());
}

// Drawn and made into a rectangle for every frame.
void gstreamer_changing(benchmark::State& state, GstVideoFormat format) {
  const auto [width, height] = size_of(state);
  Frame frame(format, width, height);
  const overlay::Settings settings;
  const auto geometry = overlay::Geometry::of(frame.info);
  overlay::Painter painter;
  int step = 0;
  for (auto _ : state) {
    const gst::BcpResultPtr now = result(step++ % 60);
    overlay::Picture picture(painter.panel(overlay::panel_text(now.get(), false, settings), settings, geometry));
    const Composition composition = composition_of(picture.rectangle(width, height));
    gst_video_overlay_composition_blend(composition.get(), &frame.frame);
  }
  frame.check();
  report(state, panel(settings, frame.info));
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Args({1280, 720})->Args({1920, 1080})->Args({3840, 2160})->Unit(benchmark::kMillisecond);
}
void full_hd(benchmark::internal::Benchmark* b) {
  b->Args({1920, 1080})->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(unchanged, nv12, GST_VIDEO_FORMAT_NV12, false)->Apply(sizes);
BENCHMARK_CAPTURE(gstreamer, nv12, GST_VIDEO_FORMAT_NV12, false, false)->Apply(sizes);
BENCHMARK_CAPTURE(gstreamer, nv12_from_ayuv, GST_VIDEO_FORMAT_NV12, false, true)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, nv12_compare, GST_VIDEO_FORMAT_NV12, true)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer, nv12_compare, GST_VIDEO_FORMAT_NV12, true, false)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, i420, GST_VIDEO_FORMAT_I420, false)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer, i420, GST_VIDEO_FORMAT_I420, false, false)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer, i420_from_ayuv, GST_VIDEO_FORMAT_I420, false, true)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, bgrx, GST_VIDEO_FORMAT_BGRx, false)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer, bgrx, GST_VIDEO_FORMAT_BGRx, false, false)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, rgba, GST_VIDEO_FORMAT_RGBA, false)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, p010, GST_VIDEO_FORMAT_P010_10LE, false)->Apply(full_hd);
BENCHMARK_CAPTURE(unchanged, v210, GST_VIDEO_FORMAT_v210, false)->Apply(full_hd);
BENCHMARK_CAPTURE(changing, nv12, GST_VIDEO_FORMAT_NV12, false)->Apply(sizes);
BENCHMARK_CAPTURE(changing, nv12_compare, GST_VIDEO_FORMAT_NV12, true)->Apply(full_hd);
BENCHMARK_CAPTURE(changing, i420, GST_VIDEO_FORMAT_I420, false)->Apply(full_hd);
BENCHMARK_CAPTURE(changing, bgrx, GST_VIDEO_FORMAT_BGRx, false)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer_changing, nv12, GST_VIDEO_FORMAT_NV12)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer_changing, i420, GST_VIDEO_FORMAT_I420)->Apply(full_hd);
BENCHMARK_CAPTURE(gstreamer_changing, bgrx, GST_VIDEO_FORMAT_BGRx)->Apply(full_hd);

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  return bench::run_benchmarks(argc, argv, "/1920/1080$");
}

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the element costs beyond the bare run of its model: preprocessing, scoring, correcting, learning, metadata and
// GStreamer's own way through it.
//
//   bench-overhead [--quick] BUNDLE WIDTH HEIGHT [ROUNDS]
//
// Both are timed in turn, frame by frame, in processor time, so that whatever else the machine does falls on both; what
// counts is the median of the differences between neighbours.

#include <gst/check/gstharness.h>
#include <gst/gst.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "clip/model.hpp"
#include "gst_stats.hpp"
#include "onnx/session.hpp"

namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <typename Fn>
double milliseconds(Fn&& fn) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double start = now();
  fn();
  return now() - start;
}

// An NV12 frame with some texture, another for each number.
GstBuffer* nv12_frame(int width, int height, int number) {
  const auto size = static_cast<gsize>(width * height * 3 / 2);
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; ++i)
    map.data[i] = static_cast<guint8>(i * 7 + (i >> 9) * static_cast<gsize>(13 + number));
  gst_buffer_unmap(buffer, &map);
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * 40 * GST_MSECOND;
  return buffer;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s [--quick] BUNDLE WIDTH HEIGHT [ROUNDS]\n", argv[0]);
    return 2;
  }
  gst_init(&argc, &argv);
  const std::string bundle = argv[1];
  const int width = std::atoi(argv[2]), height = std::atoi(argv[3]),
            rounds = quick      ? 20
                     : argc > 4 ? std::atoi(argv[4])
                                : 200;

  auto model = bcp::clip::Model::open(bundle, {.provider = bcp::onnx::Provider::kCpu, .device_id = 0, .threads = 1});
  bench::require(static_cast<bool>(model), model ? "" : model.error().message);
  const auto& spec = (*model)->bundle().tensor;
  const std::vector<float> tensor = bcp::clip::test_picture(0, spec);
  std::vector<float> embedding(static_cast<std::size_t>((*model)->encoder().embedding_size()));
  const std::array input{static_cast<const void*>(tensor.data())};
  bcp::onnx::Session& session = (*model)->encoder().session();

  // A harness is a live pipeline, in which mode=auto would hand the inference to another thread.
  const std::string launch =
      "bcptagger mode=sync execution-provider=cpu intra-op-threads=1 preset=paper model=" + bundle;
  GstHarness* harness = gst_harness_new_parse(launch.c_str());
  const std::string caps = "video/x-raw,format=NV12,width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + ",framerate=25/1";
  gst_harness_set_src_caps_str(harness, caps.c_str());

  std::vector<double> bare, added;
  for (int i = 0; i < rounds + 5; ++i) {
    GstBuffer* in = nv12_frame(width, height, i);
    GstBuffer* out = nullptr;
    const double whole = milliseconds([&] { out = gst_harness_push_and_pull(harness, in); });
    bench::require(out != nullptr, "the element gave no frame back");
    gst_buffer_unref(out);
    const double run = milliseconds(
        [&] { bench::require(static_cast<bool>(session.run(input, 1, embedding.data())), "the bare run failed"); });
    if (i < 5) continue;  // warm caches and arenas
    bare.push_back(run);
    added.push_back(whole - run);
  }
  GstElement* tagger = gst_harness_find_element(harness, "bcptagger");
  for (const char* count : {"scored", "samples"})  // one thread, one frame after the other: nothing may be left out
    bench::require(bench::stat(tagger, count) == rounds + 5, std::string(count) + " is " +
                                                                 std::to_string(bench::stat(tagger, count)) +
                                                                 " after " + std::to_string(rounds + 5) + " frames");
  gst_object_unref(tagger);
  gst_harness_teardown(harness);
  const double run = median(bare), more = median(added);
  std::printf("%s, NV12 %dx%d, 1 thread, %d rounds: bare run %.3f ms, the element %.3f ms more (%.1f %%)\n",
              (*model)->bundle().name.c_str(), width, height, rounds, run, more, 100 * more / run);
  return 0;
}

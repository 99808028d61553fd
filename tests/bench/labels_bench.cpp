// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The effect of label changes on the frames: the same stream through bcptagger, once without changes and once with its
// labels changed a thousand times, each list with words the model has not seen. Frames come at a steady rate, as from a
// camera; prints how long each was in the element.
//
//   bench-labels [--quick] BUNDLE [FRAMES_PER_SECOND]

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gst/bcp/gstbcpmeta.h"
#include "gst_stats.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::string labels(int number, const std::string& unseen) {
  std::string list = "red,green";
  for (int i = 0; i <= number % 5; ++i) list += ",word " + unseen + std::to_string(number) + " " + std::to_string(i);
  return list;
}

// Megabytes of memory of this process.
double resident() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, pages = 0;
  statm >> total >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Figures {
  std::vector<double> ms;
  std::set<std::string> lists;
  std::size_t lost = 0, without = 0;
};

// Pushes frames at this rate while `more(frames so far)`.
template <typename More>
Figures push_frames(GstHarness* harness, double rate, const More& more) {
  Figures figures;
  const auto period = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate));
  auto due = Clock::now();
  for (int i = 0; more(i); ++i) {
    std::this_thread::sleep_until(due += period);
    GstBuffer* in = gst_harness_create_buffer(harness, 640 * 360 * 3 / 2);
    gst_buffer_memset(in, 0, static_cast<guint8>(i), 640 * 360 * 3 / 2);
    GST_BUFFER_PTS(in) = static_cast<GstClockTime>(i) * 40 * GST_MSECOND;
    const auto start = Clock::now();
    GstBuffer* out = gst_harness_push_and_pull(harness, in);
    figures.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    const GstBcpMeta* meta = out ? gst_buffer_get_bcp_meta(out) : nullptr;
    figures.lost += !out;
    figures.without += out && !meta;
    if (meta) {
      const GstBcpLabels* names = gst_bcp_result_get_labels(meta->result);
      figures.lists.insert(gst_bcp_labels_get_name(names, gst_bcp_labels_get_size(names) - 1));
    }
    if (out) gst_buffer_unref(out);
  }
  return figures;
}

void print(const char* what, Figures& figures) {
  std::sort(figures.ms.begin(), figures.ms.end());
  const auto at = [&](double share) {
    return figures.ms[static_cast<std::size_t>(share * static_cast<double>(figures.ms.size() - 1))];
  };
  std::printf(
      "%-22s %6zu frames: median %.2f ms, p99 %.2f ms, longest %.2f ms; %zu lists seen, %zu frames lost, %zu without "
      "labels\n",
      what, figures.ms.size(), at(0.5), at(0.99), figures.ms.back(), figures.lists.size(), figures.lost,
      figures.without);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--quick] BUNDLE [FRAMES_PER_SECOND]\n", argv[0]);
    return 2;
  }
  gst_init(&argc, &argv);
  const int changes = quick ? 50 : 1000, quiet_frames = quick ? 30 : 300;
  const double rate = argc > 2 ? std::atof(argv[2]) : 30;
  const std::string launch =
      std::string("bcptagger mode=sync execution-provider=cpu intra-op-threads=1 labels=red,green model=") + argv[1];
  GstHarness* harness = gst_harness_new_parse(launch.c_str());
  gst_harness_set_src_caps_str(harness, "video/x-raw,format=I420,width=640,height=360,framerate=25/1");
  GstElement* element = gst_harness_find_element(harness, "bcptagger");

  Figures peace = push_frames(harness, rate, [&](int frames) { return frames < quiet_frames; });
  const double before = resident();
  std::atomic<bool> done = false;
  std::thread user([&] {
    const std::string unseen = std::to_string(Clock::now().time_since_epoch().count()) + " ";
    for (int i = 0; i < changes; ++i) {
      g_object_set(element, "labels", labels(i, unseen).c_str(), nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    done = true;
  });
  Figures load = push_frames(harness, rate, [&](int) { return !done; });
  user.join();
  print("in peace:", peace);
  print((std::to_string(changes) + " changes:").c_str(), load);
  std::printf("memory: %.1f MB before, %.1f MB after\n", before, resident());
  bench::require(peace.lost + load.lost == 0 && peace.without + load.without == 0,
                 "frames were lost, or had no labels");
  bench::require(bench::stat(element, "scored") == static_cast<double>(peace.ms.size() + load.ms.size()),
                 "not every frame was scored");
  bench::require(load.lists.size() >= 2, "no change of the labels took effect");
  gst_object_unref(element);
  gst_harness_teardown(harness);
  return 0;
}

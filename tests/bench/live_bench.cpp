// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The effect of a model that is far too slow on a camera: a live source of 1080p at 30 frames per second through
// `identity` and bcptagger, in one pipeline. Prints how long frames were in each, whether any was lost or late, how old
// the labels are, and what keeping a frame for the model costs downstream elements.
//
//   bench-live [--quick] BUNDLE [SECONDS]

#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gst/bcp/gstbcpmeta.h"
#include "gst_stats.hpp"

namespace {

constexpr int kRate = 30;

double at(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// How long buffers are in an element, by their timestamps.
class Passage {
 public:
  void watch(GstElement* element) {
    probe(element, "sink", [](GstPad*, GstPadProbeInfo* info, gpointer self) {
      return static_cast<Passage*>(self)->enter(GST_PAD_PROBE_INFO_BUFFER(info)), GST_PAD_PROBE_OK;
    });
    probe(element, "src", [](GstPad*, GstPadProbeInfo* info, gpointer self) {
      return static_cast<Passage*>(self)->leave(GST_PAD_PROBE_INFO_BUFFER(info)), GST_PAD_PROBE_OK;
    });
  }
  const std::vector<double>& milliseconds() const { return milliseconds_; }

 private:
  void probe(GstElement* element, const char* name, GstPadProbeCallback callback) {
    GstPad* pad = gst_element_get_static_pad(element, name);
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, this, nullptr);
    gst_object_unref(pad);
  }
  void enter(GstBuffer* buffer) { entered_[GST_BUFFER_PTS(buffer)] = g_get_monotonic_time(); }
  void leave(GstBuffer* buffer) {
    const auto found = entered_.find(GST_BUFFER_PTS(buffer));
    if (found == entered_.end()) return;
    milliseconds_.push_back(static_cast<double>(g_get_monotonic_time() - found->second) / 1000);
    entered_.erase(found);
  }

  std::map<GstClockTime, gint64> entered_;  // both pads are used on the streaming thread
  std::vector<double> milliseconds_;
};

// Measures at the tagger's output: how late frames are, how old their labels are, and the cost of writing to them.
struct Output {
  GstElement* pipeline;
  bool writes;
  std::vector<double> late, age, write;
  std::uint64_t frames = 0, fresh = 0, missing = 0;
  GstClockTime last = GST_CLOCK_TIME_NONE;

  void see(GstPadProbeInfo* info) {
    GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const GstClockTime pts = GST_BUFFER_PTS(buffer);
    ++frames;
    // A live source stamps a frame with the running time of its creation.
    const GstClockTime now = gst_element_get_current_running_time(pipeline);
    late.push_back(static_cast<double>(GST_CLOCK_DIFF(pts, now)) / GST_MSECOND);
    if (GST_CLOCK_TIME_IS_VALID(last)) missing += (pts - last + GST_SECOND / kRate / 2) * kRate / GST_SECOND - 1;
    last = pts;
    if (const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer)) {
      fresh += !meta->held;
      age.push_back(static_cast<double>(meta->age) / GST_MSECOND);
    }
    if (!writes) return;
    const gint64 begin = g_get_monotonic_time();
    buffer = gst_buffer_make_writable(buffer);
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READWRITE)) gst_buffer_unmap(buffer, &map);
    write.push_back(static_cast<double>(g_get_monotonic_time() - begin) / 1000);
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
  }
};

double number(const GstStructure* stats, const char* name) {
  gdouble value = 0;
  guint64 count = 0;
  if (gst_structure_get_uint64(stats, name, &count)) return static_cast<double>(count);
  gst_structure_get_double(stats, name, &value);
  return value;
}

int run(const std::string& bundle, int seconds, bool writes, bool enabled) {
  const std::string line =
      "videotestsrc is-live=true pattern=smpte num-buffers=" + std::to_string(seconds * kRate) +
      " ! video/x-raw,format=NV12,width=1920,height=1080,framerate=" + std::to_string(kRate) +
      "/1 ! identity name=plain ! bcptagger name=tagger skip-static=off coverage=tiles intra-op-threads=1 model=\"" +
      bundle + "\" enabled=" + (enabled ? "true" : "false") + " ! fakesink name=sink sync=true";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (error) return std::fprintf(stderr, "%s\n", error->message), 1;
  GstElement* plain = gst_bin_get_by_name(GST_BIN(pipeline), "plain");
  GstElement* tagger = gst_bin_get_by_name(GST_BIN(pipeline), "tagger");
  Passage plain_passage, tagger_passage;
  plain_passage.watch(plain);
  tagger_passage.watch(tagger);
  Output output{.pipeline = pipeline, .writes = writes, .late = {}, .age = {}, .write = {}};
  GstPad* pad = gst_element_get_static_pad(tagger, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer self) {
        return static_cast<Output*>(self)->see(info), GST_PAD_PROBE_OK;
      },
      &output, nullptr);
  gst_object_unref(pad);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool failed = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
  if (failed) {
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "%s\n", error->message);
    g_error_free(error);
  }
  gst_message_unref(message);
  gst_object_unref(bus);
  GstStructure* stats = nullptr;
  g_object_get(tagger, "stats", &stats, nullptr);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (failed) return 1;
  const auto frames = static_cast<double>(seconds * kRate);
  bench::require((!enabled || number(stats, "frames") == frames) && static_cast<double>(output.frames) == frames,
                 "frames were lost on the way");
  bench::require(
      plain_passage.milliseconds().size() == output.frames && tagger_passage.milliseconds().size() == output.frames,
      "not every frame was timed");
  bench::require(!writes || output.write.size() == output.frames, "not every frame was written to");
  bench::require(enabled == (number(stats, "scored") > 0), enabled ? "no frame was scored" : "the tagger is not off");
  bench::require(!enabled || g_strcmp0(gst_structure_get_string(stats, "mode"), "async") == 0,
                 "a live source did not make the mode async");
  bench::require(!enabled || !output.age.empty(), "no frame carried labels");

  if (!enabled) {
    std::printf("  writing to a frame, tagger off      p50 %6.3f ms  p99 %6.3f ms\n", at(output.write, 0.5),
                at(output.write, 0.99));
  } else if (writes) {
    std::printf("  writing to a frame that is kept     p50 %6.3f ms  p99 %6.3f ms\n", at(output.write, 0.5),
                at(output.write, 0.99));
  } else {
    std::printf("mode %s, an inference %.0f ms, %.0f of them for %.0f frames\n",
                gst_structure_get_string(stats, "mode"), number(stats, "inference-mean-ms"), number(stats, "scored"),
                number(stats, "frames"));
    std::printf("  frames out %llu, missing between them %llu\n", static_cast<unsigned long long>(output.frames),
                static_cast<unsigned long long>(output.missing));
    std::printf("  after they were made                p50 %6.3f ms  p99 %6.3f ms\n", at(output.late, 0.5),
                at(output.late, 0.99));
    std::printf("  in identity                         p50 %6.3f ms  p99 %6.3f ms\n",
                at(plain_passage.milliseconds(), 0.5), at(plain_passage.milliseconds(), 0.99));
    std::printf("  in bcptagger                        p50 %6.3f ms  p99 %6.3f ms  longest %.3f ms\n",
                at(tagger_passage.milliseconds(), 0.5), at(tagger_passage.milliseconds(), 0.99),
                at(tagger_passage.milliseconds(), 1));
    std::printf("  age of the labels                   least %.0f ms  p50 %.0f ms  most %.0f ms; new on %llu frames\n",
                at(output.age, 0), at(output.age, 0.5), at(output.age, 1),
                static_cast<unsigned long long>(output.fresh));
  }
  gst_structure_free(stats);
  gst_object_unref(plain);
  gst_object_unref(tagger);
  gst_object_unref(pipeline);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 2) return std::fprintf(stderr, "usage: bench-live [--quick] BUNDLE [SECONDS]\n"), 2;
  const int seconds = quick ? 1 : argc > 2 ? std::atoi(argv[2]) : 20;
  for (const auto& [writes, enabled] : {std::pair(false, true), std::pair(true, true), std::pair(true, false)}) {
    if (const int status = run(argv[1], seconds, writes, enabled); status != 0) return status;
  }
  return 0;
}

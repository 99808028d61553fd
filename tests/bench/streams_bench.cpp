// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost and results of many live streams on one model, compared with one: memory, inferences per second, how evenly
// they are shared, and how old the labels are.
//
//   bench-streams [--quick] BUNDLE [STREAMS [FRAMES_PER_SECOND [ROUNDS]]]
//
// One stream and all of them run alternately, in the same process, so that other load on the machine affects both. The
// first runs all the time; the others come and go during playback. For a meaningful comparison one stream must keep the
// model busy, so the model must be slow for the frame rate.

#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gst/bcp/gstbcpmeta.h"
#include "work.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWidth = 640, kHeight = 360;
constexpr double kFrameMegabytes = kWidth * kHeight * 1.5 / (1 << 20);

struct Times {
  std::chrono::milliseconds settle, alone, together;
};

// Megabytes of memory of this process.
double resident() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, pages = 0;
  statm >> total >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Processor time of the worker's thread so far, in seconds.
double worker_seconds() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    double nanoseconds = 0;
    if (name == "bcp-images") std::ifstream(task.path() / "schedstat") >> nanoseconds;
    if (nanoseconds > 0) return nanoseconds / 1e9;
  }
  return 0;
}

double at(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// A live camera, its tagger and a sink.
class Stream {
 public:
  Stream(const std::string& bundle, int rate) {
    const std::string launch =
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=NV12,width=" + std::to_string(kWidth) +
        ",height=" + std::to_string(kHeight) + ",framerate=" + std::to_string(rate) +
        "/1 ! bcptagger name=tagger mode=async skip-static=off execution-provider=cpu intra-op-threads=1 "
        "model-instance-id=bench model=\"" +
        bundle + "\" ! fakesink name=sink";
    GError* error = nullptr;
    pipeline_ = gst_parse_launch(launch.c_str(), &error);
    if (error) fail(error->message);
    tagger_ = gst_bin_get_by_name(GST_BIN(pipeline_), "tagger");
    GstPad* pad = gst_element_get_static_pad(tagger_, "src");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo* info, gpointer self) {
          static_cast<Stream*>(self)->see(GST_PAD_PROBE_INFO_BUFFER(info));
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_object_unref(pad);
  }
  ~Stream() {
    stop();
    gst_object_unref(tagger_);
    gst_object_unref(pipeline_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void play() {
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    if (gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE) == GST_STATE_CHANGE_FAILURE)
      fail("the pipeline does not start: is GST_PLUGIN_PATH set, and is it a bundle?");
  }
  void stop() { gst_element_set_state(pipeline_, GST_STATE_NULL); }

  // A count of `stats`.
  guint64 count(const char* name) const {
    GstStructure* stats = nullptr;
    g_object_get(tagger_, "stats", &stats, nullptr);
    guint64 value = 0;
    gst_structure_get_uint64(stats, name, &value);
    gst_structure_free(stats);
    return value;
  }
  // From the frames since the last call: the age of the labels of each, in milliseconds, and their buffers.
  struct Seen {
    std::vector<double> ages;
    std::set<const GstMemory*> memories;
  };
  Seen take_seen() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  [[noreturn]] static void fail(const char* message) {
    std::fprintf(stderr, "%s\n", message);
    std::exit(1);
  }
  void see(GstBuffer* buffer) {
    const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer);
    const std::lock_guard lock(mutex_);
    seen_.memories.insert(gst_buffer_peek_memory(buffer, 0));
    if (meta && GST_CLOCK_TIME_IS_VALID(meta->age))
      seen_.ages.push_back(static_cast<double>(meta->age) / static_cast<double>(GST_MSECOND));
  }

  GstElement *pipeline_ = nullptr, *tagger_ = nullptr;
  std::mutex mutex_;
  Seen seen_;
};

using Streams = std::vector<std::unique_ptr<Stream>>;

// The results of the first `count` streams in the measured time.
struct Figures {
  explicit Figures(std::size_t count) : scored(count), frames(count) {}
  double seconds = 0, worker = 0;
  std::vector<guint64> scored, frames;
  std::vector<double> ages;
  std::size_t buffers = 0;  // used by frames in the last round

  guint64 total() const {
    guint64 sum = 0;
    for (const guint64 each : scored) sum += each;
    return sum;
  }
  double rate() const { return static_cast<double>(total()) / seconds; }
  double worker_rate() const { return static_cast<double>(total()) / worker; }

  void watch(Streams& streams, std::chrono::milliseconds settle, std::chrono::milliseconds time) {
    std::this_thread::sleep_for(settle);
    for (std::size_t i = 0; i < scored.size(); ++i) {
      scored[i] -= streams[i]->count("scored");
      frames[i] -= streams[i]->count("frames");
      streams[i]->take_seen();
    }
    buffers = 0;
    const auto start = Clock::now();
    worker -= worker_seconds();
    std::this_thread::sleep_for(time);
    for (std::size_t i = 0; i < scored.size(); ++i) {
      scored[i] += streams[i]->count("scored");
      frames[i] += streams[i]->count("frames");
      const Stream::Seen seen = streams[i]->take_seen();
      ages.insert(ages.end(), seen.ages.begin(), seen.ages.end());
      buffers += seen.memories.size();
    }
    worker += worker_seconds();
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
};

// Checks that every stream had frames, inferences and labels.
void check(const Figures& figures) {
  for (std::size_t i = 0; i < figures.scored.size(); ++i)
    bench::require(figures.scored[i] > 0 && figures.frames[i] > 0,
                   "stream " + std::to_string(i + 1) + " of " + std::to_string(figures.scored.size()) + " had " +
                       std::to_string(figures.scored[i]) + " inferences for " + std::to_string(figures.frames[i]) +
                       " frames");
  bench::require(figures.worker > 0 && !figures.ages.empty(), "no worker ran, or no frame carried labels");
}

double percent(double value, double of) {
  return 100 * (value / of - 1);
}

void print_memory(double of_all, double of_one, double frames) {
  std::printf("memory: %.1f MB, against %.1f MB: %.2fx; less %.1f MB of frame buffers %.2fx (target: 1.30x)\n", of_all,
              of_one, of_all / of_one, frames, (of_all - frames) / of_one);
}

// By the clock, and by the worker's processor time, which other programs do not affect.
void print_rates(const Figures& all, const Figures& one) {
  std::printf("inferences a second: %.2f, against %.2f", all.rate(), one.rate());
  if (static_cast<double>(one.total()) > 0.95 * static_cast<double>(one.frames.front())) {
    std::printf("; one stream does not keep this model busy\n");
    return;
  }
  std::printf(": %+.1f %% (target: -5 %%)\n", percent(all.rate(), one.rate()));
  std::printf("  of processor time: %.2f, against %.2f: %+.1f %%; the worker had %.0f %% and %.0f %% of a processor\n",
              all.worker_rate(), one.worker_rate(), percent(all.worker_rate(), one.worker_rate()),
              100 * all.worker / all.seconds, 100 * one.worker / one.seconds);
}

void print_spread(const Figures& all) {
  const auto [least, most] = std::minmax_element(all.scored.begin(), all.scored.end());
  const auto low = static_cast<double>(*least), high = static_cast<double>(*most);
  std::printf("rates of the streams: %.2f to %.2f a second: %.1f %% apart (target: 10 %%)\n", low / all.seconds,
              high / all.seconds, percent(high, std::max(low, 1.0)));
}

void print_ages(const char* whose, Figures& figures) {
  std::printf("age of labels, %s: median %.0f ms, p99 %.0f ms, most %.0f ms\n", whose, at(figures.ages, 0.5),
              at(figures.ages, 0.99), at(figures.ages, 1));
}

int number(int argc, char** argv, int index, int otherwise, int least) {
  return argc > index ? std::max(std::atoi(argv[index]), least) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--quick] BUNDLE [STREAMS [FRAMES_PER_SECOND [ROUNDS]]]\n", argv[0]);
    return 2;
  }
  using namespace std::chrono_literals;
  const Times times = quick ? Times{300ms, 500ms, 1s} : Times{2s, 5s, 20s};
  const std::string bundle = argv[1];
  const auto count = static_cast<std::size_t>(number(argc, argv, 2, quick ? 2 : 8, 2));
  const int rate = number(argc, argv, 3, 15, 1), rounds = number(argc, argv, 4, quick ? 1 : 3, 1);
  std::printf("%s: %zu streams %dx%d at %d fps against one, 1 inference thread, mode=async, %d rounds\n",
              std::filesystem::path(bundle).filename().c_str(), count, kWidth, kHeight, rate, rounds);

  Streams streams;
  for (std::size_t i = 0; i < count; ++i) streams.push_back(std::make_unique<Stream>(bundle, rate));
  Figures one(1), all(count);
  double memory_of_one = 0, memory_of_all = 0;
  streams.front()->play();
  for (int round = 0; round < rounds; ++round) {
    one.watch(streams, times.settle, times.alone);
    if (round == 0) memory_of_one = resident();
    for (std::size_t i = 1; i < count; ++i) streams[i]->play();
    all.watch(streams, times.settle, times.together);
    memory_of_all = std::max(memory_of_all, resident());
    for (std::size_t i = 1; i < count; ++i) streams[i]->stop();
  }

  check(one);
  check(all);
  print_memory(memory_of_all, memory_of_one, static_cast<double>(all.buffers - one.buffers) * kFrameMegabytes);
  print_rates(all, one);
  print_spread(all);
  print_ages("one stream", one);
  print_ages("all streams", all);
  return 0;
}

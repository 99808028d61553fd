// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost of a start: a process that loads the plugin, opens a model and labels one frame. Cold: with an empty cache,
// like the first start of a model on a machine (files are still in the system's page cache). Warm: every later start.
//
//   bench-start [--quick] BUNDLE [PROVIDER [PRECISION]]
//
// Time from the start of the process to the first label, its processor time, and its memory at that moment: resident,
// of that anonymous, and the peak.

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gst/bcp/gstbcpmeta.h"
#include "work.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Start {
  double wall_ms = 0, cpu_ms = 0, resident = 0, anonymous = 0, peak = 0;  // memory in MB
};

// Megabytes, from a line of /proc/self/status.
double memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key + ":", 0) == 0) return std::atof(line.c_str() + key.size() + 1) / 1024;
  return 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The measured process: prints its memory when the first frame has its labels.
int label_one_frame(const std::string& description) {
  gst_init(nullptr, nullptr);
  GstHarness* harness = gst_harness_new_parse(description.c_str());
  bench::require(harness, "no element from " + description);
  gst_harness_set_src_caps_str(harness, "video/x-raw,format=NV12,width=640,height=360,framerate=25/1");
  GstBuffer* in = gst_harness_create_buffer(harness, 640 * 360 * 3 / 2);
  gst_buffer_memset(in, 0, 100, 640 * 360 * 3 / 2);
  GST_BUFFER_PTS(in) = 0;
  GstBuffer* out = gst_harness_push_and_pull(harness, in);
  const GstBcpMeta* meta = out ? gst_buffer_get_bcp_meta(out) : nullptr;
  const guint labels = meta ? gst_bcp_labels_get_size(gst_bcp_result_get_labels(meta->result)) : 0;
  bench::require(labels > 0, "no label came");
  std::printf("%f %f %f\n", memory("VmRSS"), memory("RssAnon"), memory("VmHWM"));
  std::fflush(stdout);
  _exit(0);  // the time to exit is not measured
}

// Starts this program again as that process.
Start start(const char* program, const std::string& description) {
  std::array<int, 2> ends{};
  bench::require(pipe(ends.data()) == 0, "no pipe");
  const auto before = Clock::now();
  const pid_t child = fork();
  bench::require(child >= 0, "no process");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(program, program, "--label", description.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  close(ends[1]);
  std::string line;
  for (std::array<char, 256> piece{}; const ssize_t size = read(ends[0], piece.data(), piece.size());) {
    if (size < 0) break;
    line.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  Start figures;
  figures.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
  int status = 0;
  rusage usage{};
  bench::require(wait4(child, &status, 0, &usage) == child && status == 0, "a start failed, see above");
  figures.cpu_ms = 1e3 * (seconds(usage.ru_utime) + seconds(usage.ru_stime));
  const int read = std::sscanf(line.c_str(), "%lf %lf %lf", &figures.resident, &figures.anonymous, &figures.peak);
  bench::require(read == 3 && figures.resident > 0, "no memory was measured");
  return figures;
}

template <typename Member>
double median(const std::vector<Start>& starts, Member member) {
  std::vector<double> values;
  for (const Start& each : starts) values.push_back(each.*member);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* what, const std::vector<Start>& starts) {
  std::printf("%-5s first label after %7.0f ms (CPU %6.0f ms), resident %5.0f MB, own %5.0f MB, peak %5.0f MB\n", what,
              median(starts, &Start::wall_ms), median(starts, &Start::cpu_ms), median(starts, &Start::resident),
              median(starts, &Start::anonymous), median(starts, &Start::peak));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--label") return label_one_frame(argv[2]);
  const bool quick = bench::take_quick(argc, argv);
  bench::require(argc >= 2, "usage: bench-start [--quick] BUNDLE [PROVIDER [PRECISION]]");
  const std::string provider = argc > 2 ? argv[2] : "cpu", precision = argc > 3 ? argv[3] : "auto";
  const std::string description =
      "bcptagger mode=sync decision=softmax intra-op-threads=1 execution-provider=" + provider +
      " precision=" + precision + " model=" + argv[1];
  const std::string program = fs::canonical("/proc/self/exe").string();
  std::string cache = (fs::temp_directory_path() / "bench-start-XXXXXX").string();
  bench::require(mkdtemp(cache.data()), "no temporary directory");
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  // The registry of plugins is not measured: it exists, or is created first.
  (void)start(program.c_str(), description);
  std::printf("%s, %s, precision %s, one thread\n", argv[1], provider.c_str(), precision.c_str());
  std::vector<Start> cold, warm;
  for (int round = 0; round < (quick ? 1 : 5); ++round) {
    fs::remove_all(cache);
    fs::create_directory(cache);
    cold.push_back(start(program.c_str(), description));
    // Files must be some seconds old before their checksums are cached (clip/bundle/checksum_cache.hpp).
    if (!quick) sleep(3);
    (void)start(program.c_str(), description);
    warm.push_back(start(program.c_str(), description));
  }
  print("cold", cold);
  print("warm", warm);
  fs::remove_all(cache);
  return 0;
}

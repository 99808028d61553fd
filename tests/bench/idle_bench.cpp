// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost while nothing happens: the element in PAUSED, with a source that is silent from the start or becomes silent,
// and `gst-bcp run` on a camera that does not answer.
//
//   bench-idle [--quick] BUNDLE [GST-BCP] [SECONDS]
//
// Processor time in percent of one core, and wake-ups of threads per second.

#include <arpa/inet.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "gst_stats.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Window {
  std::chrono::milliseconds settle, watch;
};

// Of all threads of a process, since it began.
struct Spent {
  double seconds = 0;
  double wakeups = 0;  // voluntary context switches
};

Spent spent_by(pid_t process) {
  Spent spent;
  std::error_code fault;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, fault)) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0) spent.wakeups += std::atof(line.c_str() + 24);
    }
    // In nanoseconds; stat has only hundredths of a second.
    std::ifstream schedule(task.path() / "schedstat");
    double nanoseconds = 0;
    if (schedule >> nanoseconds) spent.seconds += nanoseconds / 1e9;
  }
  return spent;
}

// Prints what `process` uses in that time, after it has settled.
void measure(const char* what, pid_t process, Window window) {
  std::this_thread::sleep_for(window.settle);
  const Spent before = spent_by(process);
  const auto start = Clock::now();
  std::this_thread::sleep_for(window.watch);
  const Spent after = spent_by(process);
  bench::require(before.seconds > 0 && after.seconds >= before.seconds, std::string(what) + ": no process to measure");
  const double passed = std::chrono::duration<double>(Clock::now() - start).count();
  const double share = 100 * (after.seconds - before.seconds) / passed;
  std::printf("%-58s %7.3f %%  %7.1f wakeups/s%s\n", what, share, (after.wakeups - before.wakeups) / passed,
              share < 1 ? "" : "  (NOT under 1 %)");
  std::fflush(stdout);
}

struct Stop {
  void operator()(GstElement* pipeline) const {
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
};
using Pipeline = std::unique_ptr<GstElement, Stop>;

Pipeline pipeline_of(const std::string& line, GstState state) {
  GError* fault = nullptr;
  Pipeline pipeline(gst_parse_launch(line.c_str(), &fault));
  if (fault) {
    std::fprintf(stderr, "%s\n", fault->message);
    std::exit(1);
  }
  if (gst_element_set_state(pipeline.get(), state) == GST_STATE_CHANGE_FAILURE) {
    std::fprintf(stderr, "this pipeline does not start: %s\n", line.c_str());
    std::exit(1);
  }
  return pipeline;
}

// Pushes `count` frames through the pipeline's appsrc, and waits until the element has seen them.
void push_frames(const Pipeline& pipeline, int count) {
  GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline.get()), "source");
  for (int i = 0; i < count; ++i) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 320 * 240 * 3, nullptr);
    gst_buffer_memset(buffer, 0, static_cast<guint8>(20 * i), 320 * 240 * 3);
    gst_app_src_push_buffer(GST_APP_SRC(source), buffer);
    g_usleep(40 * 1000);
  }
  gst_object_unref(source);
  GstElement* tagger = gst_bin_get_by_name(GST_BIN(pipeline.get()), "tagger");
  const auto patience = Clock::now() + std::chrono::seconds(20);
  while ((bench::stat(tagger, "frames") < count || bench::stat(tagger, "scored") < 1) && Clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  bench::require(bench::stat(tagger, "frames") == count && bench::stat(tagger, "scored") >= 1,
                 "the frames before the silence were not scored");
  gst_object_unref(tagger);
}

// A camera that accepts connections and sends nothing; its port is in `port`.
int silent_server(int& port) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(server, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(server, 64) != 0) std::exit(1);
  ::getsockname(server, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return server;
}

void measure_run(const std::string& program, const std::string& bundle, Window window) {
  int port = 0;
  const int server = silent_server(port);
  const std::string camera = "rtsp://127.0.0.1:" + std::to_string(port) + "/silent";
  std::vector<std::string> words{program, "run", "--model", bundle, "--metrics", "0", camera, camera + "2"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stderr)) ::_exit(126);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  measure("gst-bcp run --metrics, two cameras that say nothing", child, window);
  bench::require(::waitpid(child, nullptr, WNOHANG) == 0, program + " ended before it was measured");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(server);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--quick] BUNDLE [GST-BCP] [SECONDS]\n", argv[0]);
    return 2;
  }
  gst_init(nullptr, nullptr);
  const std::string bundle = argv[1];
  using namespace std::chrono_literals;
  const Window window =
      quick ? Window{200ms, 200ms} : Window{3s, std::chrono::seconds(argc > 3 ? std::atoi(argv[3]) : 10)};
  const std::string metrics = std::filesystem::temp_directory_path() / ("bench-idle." + std::to_string(::getpid()));
  const std::string tagger =
      "bcptagger name=tagger model=" + bundle + " metrics-interval=1 metrics-file=" + metrics + " ";
  const std::string source =
      "appsrc name=source format=time is-live=true do-timestamp=true "
      "caps=video/x-raw,format=RGB,width=320,height=240,framerate=25/1 ! ";
  {
    const Pipeline pipeline = pipeline_of("videotestsrc ! " + tagger + "! fakesink sync=true", GST_STATE_PAUSED);
    bench::require(gst_element_get_state(pipeline.get(), nullptr, nullptr, 60 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS,
                   "the pipeline does not reach PAUSED");
    measure("PAUSED", ::getpid(), window);
  }
  for (const char* mode : {"sync", "async"}) {
    const Pipeline pipeline =
        pipeline_of(source + tagger + "mode=" + mode + " ! fakesink sync=true", GST_STATE_PLAYING);
    measure((std::string("silent from the start, ") + mode).c_str(), ::getpid(), window);
    push_frames(pipeline, 10);
    measure((std::string("fallen silent, ") + mode).c_str(), ::getpid(), window);
  }
  bench::require(std::filesystem::remove(metrics), "no metrics were written");
  if (argc > 2) measure_run(argv[2], bundle, window);
  return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// A fleet of processes, as on many machines: each learns its own stream, with the thread of a member beside it.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "camera.hpp"
#include "common/redis.hpp"
#include "fleet/member.hpp"

namespace bcp::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kInterval = 1000ms, kBetweenFrames = 100ms, kPatience = 120'000ms;

unsigned seed_of(unsigned node) {
  return 1000 + node;
}

// What a process reports through its pipe, followed by its judgements.
struct Report {
  double samples = 0, own = 0;
  fleet::Traffic traffic;
  std::uint64_t written = 0, rounds = 0;
  double seconds = 0;
};

[[noreturn]] void be_node(unsigned node, unsigned nodes, int frames, fleet::Address address, int out) {
  address.interval = kInterval;
  const auto group = *prior::PriorGroup::join("node " + std::to_string(node), "model");
  const auto learnt = group->learnt(label_names());
  learnt->join();
  bool done = false;
  {
    const auto member = *fleet::Member::join(group, address, "node-" + std::to_string(node));
    adapt::BcpSettings settings;
    settings.half_life = 0;
    settings.warm_up = false;
    adapt::Scores scores;
    std::mt19937 random(seed_of(node));
    const auto start = Clock::now();
    for (int i = 0; i < frames; ++i) {
      (void)learnt->tag(frame_of(node, random), settings, scores, [] { return true; });
      std::this_thread::sleep_for(kBetweenFrames);
    }
    const double all = static_cast<double>(nodes) * frames;
    const auto until = Clock::now() + kPatience;
    while (Clock::now() < until && std::abs(learnt->samples() - all) > 1e-3) std::this_thread::sleep_for(20ms);
    const fleet::Condition condition = member->condition();
    const Report report{learnt->samples(), learnt->own_samples(),
                        condition.traffic, condition.published,
                        condition.rounds,  std::chrono::duration<double>(Clock::now() - start).count()};
    const std::vector<double> values = judged(*learnt);
    done = ::write(out, &report, sizeof report) == sizeof report;
    const char* bytes = reinterpret_cast<const char*>(values.data());
    for (std::size_t left = values.size() * sizeof(double); done && left > 0;) {
      const ssize_t sent = ::write(out, bytes, left);
      done = sent > 0;
      bytes += sent;
      left -= static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
  }
  ::_exit(done ? 0 : 1);
}

struct Child {
  pid_t id = 0;
  int pipe = -1;
  bool read(void* to, std::size_t size) const {
    for (auto* bytes = static_cast<char*>(to); size > 0;) {
      const ssize_t got = ::read(pipe, bytes, size);
      if (got <= 0) return false;
      bytes += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
};

// A number of the answer of INFO.
double info(const test::Redis& redis, const std::string& name) {
  const std::string text = redis.call({"INFO"}).text;
  const std::size_t at = text.find("\n" + name + ":");
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

}  // namespace

bool processes_converge(unsigned nodes, int frames) {
  const test::Redis redis;
  std::vector<Child> children(nodes);
  std::fflush(stdout);
  for (unsigned i = 0; i < nodes; ++i) {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    children[i] = {::fork(), ends[0]};
    if (children[i].id == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      be_node(i, nodes, frames, redis.address("fleet"), ends[1]);
    }
    ::close(ends[1]);
  }
  Camera all;
  for (unsigned i = 0; i < nodes; ++i) {
    std::mt19937 random(seed_of(i));
    for (int f = 0; f < frames; ++f) all.see(frame_of(i, random));
  }
  const std::vector<double> expected = judged(*all.learnt);
  double apart = 0, sent = 0, received = 0, operations = 0, written = 0, seconds = 0;
  bool worked = true, own_only = true;
  for (Child& child : children) {
    Report report;
    std::vector<double> values(expected.size());
    worked = child.read(&report, sizeof report) && child.read(values.data(), values.size() * sizeof(double)) && worked;
    apart = std::max(apart, largest_difference(values, expected));
    own_only = own_only && std::abs(report.own - frames) < 1e-9;
    const double node_seconds = report.seconds * nodes;
    sent += static_cast<double>(report.traffic.sent) / node_seconds;
    received += static_cast<double>(report.traffic.received) / node_seconds;
    operations += static_cast<double>(report.traffic.operations) / node_seconds;
    written += static_cast<double>(report.written) / nodes;
    seconds += report.seconds / nodes;
    ::close(child.pipe);
  }
  for (const Child& child : children) {
    int status = 1;
    ::waitpid(child.id, &status, 0);
    worked = worked && status == 0;
  }
  std::printf("%u processes, %d frames each at 10 a second, interval 1 s, no forgetting:\n", nodes, frames);
  std::printf("  largest difference of a probability %.2g; own samples are own frames: %s; all agree after %.1f s\n",
              apart, own_only ? "yes" : "NO", seconds);
  std::printf("  a node sends %.0f and receives %.0f bytes a second, %.2f operations a second, %.1f writes\n", sent,
              received, operations, written);
  std::printf("  Redis (INFO): %.0f commands, %.1f MB in, %.1f MB out, %.2f s of processor time, %.1f MB of memory\n",
              info(redis, "total_commands_processed"), info(redis, "total_net_input_bytes") / 1e6,
              info(redis, "total_net_output_bytes") / 1e6, info(redis, "used_cpu_user") + info(redis, "used_cpu_sys"),
              info(redis, "used_memory") / 1e6);
  return worked && own_only && apart < 1e-6;
}

}  // namespace bcp::bench

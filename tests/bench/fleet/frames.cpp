// SPDX-License-Identifier: LGPL-2.1-or-later
// The time of a frame in a fleet whose Redis is well, slow, paused, full, gone, locked or full of garbage, beside a
// stream without a fleet: their frames take turns, so the load of the machine is the same for both.

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "camera.hpp"
#include "common/redis.hpp"
#include "fleet/member.hpp"

namespace bcp::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Times {
  std::vector<double> all;  // microseconds
  double at(double share) {
    std::sort(all.begin(), all.end());
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  }
};

bool print_times(const char* what, Times& without, Times& with) {
  std::printf("  %-22s %6.1f %8.1f %8.0f us   %6.1f %8.1f %8.0f us   %zu\n", what, without.at(0.5), without.at(0.99),
              without.at(1), with.at(0.5), with.at(0.99), with.at(1), with.all.size());
  // A frame that waited for Redis would take two seconds; one that waited for a round of the node, or unpacked a value,
  // a multiple of the usual time.
  return with.at(1) < without.at(1) + 500'000 && with.at(0.5) < 3 * without.at(0.5) + 20;
}

enum class Reach { kReached, kSometimes, kNever };

// Frames for `how_long`, while `disturb` is called again and again on another thread. False if a frame waited, or if
// the node did or did not reach Redis against `reach`: then something else was measured.
bool measure(const char* what, Reach reach, const fleet::Address& address, std::chrono::milliseconds how_long,
             const std::function<void()>& disturb) {
  Camera plain;
  const auto group = *prior::PriorGroup::join(what, "model");
  const auto learnt = group->learnt(label_names());
  learnt->join();
  const auto member = *fleet::Member::join(group, address, what);
  for (int i = 0; reach == Reach::kReached && i < 1000 && member->condition().rounds == 0; ++i)
    std::this_thread::sleep_for(10ms);
  std::atomic<bool> done = false;
  std::thread disturbing([&] {
    while (!done) disturb();
  });
  std::mt19937 random(1);
  Times without, with;
  adapt::Scores scores;
  for (const auto end = Clock::now() + how_long; Clock::now() < end; std::this_thread::sleep_for(1ms)) {
    const std::vector<double> logits = frame_of(1, random);
    // The second of two frames finds its code in the cache, so they change places.
    const auto timed = [](Times& times, const auto& work) {
      const auto start = Clock::now();
      work();
      times.all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    };
    const auto in_fleet = [&] { (void)learnt->tag(logits, plain.settings, scores, [] { return true; }); };
    const bool is_even = without.all.size() % 2 == 0;
    if (is_even) timed(with, in_fleet);
    timed(without, [&] { plain.see(logits); });
    if (!is_even) timed(with, in_fleet);
  }
  done = true;
  disturbing.join();
  learnt->leave();
  const bool is_as_meant = reach == Reach::kSometimes || (member->condition().rounds > 0) == (reach == Reach::kReached);
  if (!is_as_meant) std::printf("  %s: the node has had %s\n", what, reach == Reach::kNever ? "a round" : "no round");
  return print_times(what, without, with) && is_as_meant;
}

}  // namespace

bool frames_do_not_wait(bool quick) {
  const auto how_long = quick ? 300ms : 8000ms;
  const auto nothing = [] { std::this_thread::sleep_for(10ms); };
  std::printf("correcting and learning a frame of %zu labels: p50, p99, most, without a fleet and in one; frames\n",
              kLabels);
  test::Redis redis;
  const fleet::Address address = redis.address("frames");
  bool worked = measure("Redis is well", Reach::kReached, address, how_long, nothing);
  worked = measure("slow (2 ms in 200)", Reach::kSometimes, address, how_long,
                   [&] {
                     redis.signal(SIGSTOP);
                     std::this_thread::sleep_for(200ms);
                     redis.signal(SIGCONT);
                     std::this_thread::sleep_for(2ms);
                   }) &&
           worked;
  std::mt19937 random(5);
  worked = measure("garbage", Reach::kReached, address, how_long,
                   [&] {
                     std::string noise(10'000, '\0');
                     for (char& each : noise) each = static_cast<char>(random());
                     const std::string node = std::string("x") + std::to_string(random() % 100);
                     redis.call({"HSET", fleet::index_key("frames"), noise.substr(0, 20), noise});
                     redis.call({"SET", fleet::node_key("frames", node), noise});
                     redis.call({"HSET", fleet::index_key("frames"), node,
                                 fleet::to_text({{std::string(32, 'a'), random()}, 4'000'000'000, 100, false})});
                   }) &&
           worked;
  redis.call({"FLUSHALL"});
  redis.call({"CONFIG", "SET", "maxmemory", "1"});
  worked = measure("full", Reach::kReached, address, how_long, nothing) && worked;
  redis.call({"CONFIG", "SET", "maxmemory", "0"});
  fleet::Address wrong = address;
  wrong.password = "wrong";
  worked = measure("wrong password", Reach::kNever, wrong, how_long, nothing) && worked;
  redis.signal(SIGSTOP);
  worked = measure("paused", Reach::kNever, address, how_long, nothing) && worked;
  redis.signal(SIGCONT);
  worked = measure("killed and restarted", Reach::kSometimes, address, how_long,
                   [&] {
                     redis.kill();
                     std::this_thread::sleep_for(300ms);
                     redis.start();
                     std::this_thread::sleep_for(300ms);
                   }) &&
           worked;
  redis.kill();
  return measure("gone", Reach::kNever, address, how_long, nothing) && worked;
}

}  // namespace bcp::bench

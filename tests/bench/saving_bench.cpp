// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The longest stop of the thread that learns while the statistics are saved, by number of labels.
//
//   bench-saving [--quick]
//
// Three streams with the same frames: one without a file, one that saves as elements do (the copy is made beside the
// frames), and one whose copy is made under the lock of the frames, as it was before. There are five saves a second.
//
// On a busy machine the longest times are those of other programs: `chrt -r 1 bench-saving` keeps them away.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "prior/group.hpp"
#include "work.hpp"

namespace {

using namespace bcp;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;
using Frames = std::vector<std::vector<double>>;

constexpr int kFramesPerSave = 20;
constexpr std::chrono::milliseconds kFrame(10), kPause = kFramesPerSave * kFrame;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Frames frames(std::size_t labels) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 2);
  Frames all(64, std::vector<double>(labels));
  for (auto& frame : all) {
    for (double& s : frame) s = noise(random);
    frame[random() % labels] += 12;
  }
  return all;
}

struct Stops {
  double median, p99, longest;
};

// Runs learn(frame) at 100 frames a second and measures each.
template <typename Learn>
Stops measure(const Frames& all, int count, const Learn& learn) {
  std::vector<double> times;
  auto next = Clock::now();
  for (int t = 0; t < count; ++t) {
    std::this_thread::sleep_until(next += kFrame);
    const auto start = Clock::now();
    learn(all[static_cast<std::size_t>(t) % all.size()]);
    times.push_back(milliseconds_since(start));
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100], times.back()};
}

struct Counter final : prior::PriorFile::Listener {
  void saved(const prior::PriorFile&, const prior::PriorFile::Saved& saved) noexcept override {
    good = good && saved.status;
    ++saves;
  }
  std::atomic<int> saves = 0;
  std::atomic<bool> good = true;
};

void compare(std::size_t labels, int count, const std::string& folder) {
  const Frames all = frames(labels);
  const adapt::BcpSettings settings = adapt::preset_settings(adapt::Preset::kVideo).bcp;
  Names names;
  for (std::size_t k = 0; k < labels; ++k) names.push_back("label " + std::to_string(k));
  adapt::Scores scores;
  const auto print = [&](const char* how, const Stops& stops, int saves) {
    std::printf("%6zu labels, %-38s median %.3f ms, p99 %.3f, longest %.3f (%d saves)\n", labels, how, stops.median,
                stops.p99, stops.longest, saves);
    std::fflush(stdout);
  };
  const auto learn_in = [&](prior::Learnt& learnt) {
    return [&](const std::vector<double>& frame) {
      bench::require(static_cast<bool>(learnt.tag(frame, settings, scores, [] { return true; })),
                     "a frame was refused");
    };
  };
  {
    prior::Learnt learnt(names);
    print("no file:", measure(all, count, learn_in(learnt)), 0);
  }
  {
    const auto group = prior::PriorGroup::alone("model");
    const auto learnt = group->learnt(names);
    const auto opened =
        group->open_file(folder + "/" + std::to_string(labels), prior::PriorMode::kReadWrite, "bench", *learnt);
    bench::require(static_cast<bool>(opened), "no file can be opened");
    Counter counter;
    int asked = 0, t = 0;
    const auto learn = learn_in(*learnt);
    const Stops stops = measure(all, count, [&](const std::vector<double>& frame) {
      learn(frame);
      // On the thread of the frames, as save_every() of the element.
      if (++t % kFramesPerSave == 0 && counter.saves == asked && learnt->try_save(*opened->file, counter)) ++asked;
    });
    opened->file->finish();
    bench::require(counter.saves > 0 && counter.good, "nothing was saved");
    print("saving:", stops, counter.saves);
  }
  {
    std::mutex mutex;
    adapt::Bcp bcp(labels);
    std::atomic<bool> stop = false;
    std::atomic<int> saves = 0;
    std::thread writer([&] {
      while (!stop) {
        prior::SnapshotParts parts{"model", names};
        {
          const std::lock_guard lock(mutex);
          parts.seen = bcp.seen().parts();
        }
        if (!prior::save_snapshot(folder + "/before", std::move(parts))) return;
        ++saves;
        std::this_thread::sleep_for(kPause);
      }
    });
    const Stops stops = measure(all, count, [&](const std::vector<double>& frame) {
      const std::lock_guard lock(mutex);
      bench::require(static_cast<bool>(bcp.correct(frame, settings, scores)), "a frame was refused");
      bcp.learn(scores, settings);
    });
    stop = true;
    writer.join();
    bench::require(saves > 0, "nothing was saved");
    print("saving, copied under the lock (before):", stops, saves);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  std::string folder = (std::filesystem::temp_directory_path() / "bench-saving-XXXXXX").string();
  bench::require(mkdtemp(folder.data()) != nullptr, "no folder can be made in " + folder);
  for (const std::size_t labels : quick ? std::vector<std::size_t>{80} : std::vector<std::size_t>{80, 2000, 20'000})
    compare(labels, quick ? 40 : 300, folder);
  std::filesystem::remove_all(folder);
  return 0;
}

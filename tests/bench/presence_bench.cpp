// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost of presence per frame: from scores to smoothed probabilities, with the everyday table and its context words.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "decide/context_words.hpp"
#include "decide/presence.hpp"

namespace {

using namespace bcp::decide;

// This many labels: the table's words first, then unknown words.
std::vector<PriorLabel> labels(std::size_t count) {
  const auto& known = PriorTable::everyday()->words();
  std::vector<PriorLabel> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({.name = i < known.size() ? known[i] : "unknown " + std::to_string(i)});
  return all;
}

void score_and_smooth(benchmark::State& state, bool taught) {
  const auto words = labels(static_cast<std::size_t>(state.range(0)));
  Presence presence({words, context_for(words, default_context(*PriorTable::everyday()))}, PriorTable::everyday(), {});
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 2);
  std::vector<std::vector<double>> frames(64, std::vector<double>(presence.anchors()));
  for (auto& frame : frames) {
    for (double& score : frame) score = noise(random);
    frame[random() % words.size()] += 12;
  }
  ShotMean shot;
  PresenceFrame frame;
  if (taught) {
    Taught lessons;
    const std::vector<std::optional<bool>> present(words.size(), false);
    for (const auto& scores : frames) {
      bench::require(static_cast<bool>(presence.score(scores, frame)), "a frame was refused");
      presence.teach(lessons, frame, present);
    }
    presence.set_taught(lessons);
  }
  double time = 0, most = 0;
  std::size_t t = 0;
  for (auto _ : state) {
    bench::require(static_cast<bool>(presence.score(frames[t++ % frames.size()], frame)), "a frame was refused");
    presence.smooth(shot, time += 0.04, 1, frame);
    for (const double q : frame.probability) most = std::max(most, q);
    benchmark::DoNotOptimize(frame.smoothed.data());
  }
  bench::require(std::isfinite(most) && most > (taught ? 0.05 : 0.5), "no label became likely");
}
BENCHMARK_CAPTURE(score_and_smooth, plain, false)
    ->Arg(3)
    ->Arg(20)
    ->Arg(80)
    ->Arg(1000)
    ->Arg(20'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(score_and_smooth, taught, true)->Arg(80)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmarks(argc, argv, "/80$");
}

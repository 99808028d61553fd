// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What correcting and learning one frame costs.

#include <benchmark/benchmark.h>

#include <random>

#include "adapt/bcp.hpp"

namespace {

using namespace bcp::adapt;

void correct_and_learn(benchmark::State& state) {
  const auto labels = static_cast<std::size_t>(state.range(0));
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 2);
  std::vector<std::vector<double>> frames(64, std::vector<double>(labels));
  for (auto& frame : frames) {
    for (double& s : frame) s = noise(random);
    frame[random() % labels] += 10;
  }
  Bcp bcp(labels);
  Scores scores;
  const BcpSettings settings{.anchor_confidence = 0.01, .shrinkage = 5};
  std::size_t t = 0;
  for (auto _ : state) {
    const auto& frame = frames[t++ % frames.size()];
    if (!bcp.correct(frame, settings, scores) || !bcp.learn(frame, settings)) state.SkipWithError("failed");
    benchmark::DoNotOptimize(scores.corrected.data());
  }
}
BENCHMARK(correct_and_learn)->Arg(20)->Arg(80)->Arg(1000)->Arg(2048)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();

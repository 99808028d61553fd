// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What evaluating arrays costs: plain CLIP and BCP with both presets, by samples and labels.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/npy.hpp"
#include "eval/evaluate.hpp"

namespace {

using namespace bcp::eval;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

void evaluate_arrays(benchmark::State& state) {
  const auto samples = static_cast<std::size_t>(state.range(0)), labels = static_cast<std::size_t>(state.range(1));
  std::mt19937 random(1);
  std::normal_distribution<float> noise(20, 2);
  Truth truth{samples, labels, {}};
  std::vector<float> logits;
  for (std::size_t i = 0; i < samples * labels; ++i) {
    truth.values.push_back(random() % 20 == 0 ? 1 : 0);
    logits.push_back(noise(random) + 3.0F * truth.values.back());
  }
  const auto path = std::filesystem::temp_directory_path() / ("bcp-bench-" + std::to_string(getpid()) + ".npy");
  if (!bcp::write_npy(path, logits, {samples, labels})) return state.SkipWithError("cannot write the array");
  logits = {};
  Request request;
  for (std::size_t k = 0; k < labels; ++k) request.names.push_back(std::to_string(k));
  for (const ProtocolInfo& info : protocols())
    if (state.range(2) != 0) request.protocols.push_back(info.protocol);
  for (auto _ : state) {
    bcp::Result<Stream> stream = Stream::open({.logits = path, .embeddings = {}, .text = {}});
    if (!stream || !evaluate(request, *stream, truth)) state.SkipWithError("failed");
  }
  std::filesystem::remove(path);
  state.counters["peak_MB"] = peak_megabytes();
}

}  // namespace

BENCHMARK(evaluate_arrays)
    ->ArgNames({"samples", "labels", "protocols"})
    ->Args({5'000, 20, 0})
    ->Args({5'000, 20, 1})
    ->Args({40'000, 80, 0})
    ->Args({40'000, 80, 1})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();

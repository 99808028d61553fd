// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost of evaluating arrays: plain CLIP and BCP with both presets, by samples and labels.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/npy.hpp"
#include "benchmark_main.hpp"
#include "eval/evaluate.hpp"

namespace {

using namespace bcp::eval;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

// The logits depend on the truth, so the mAP of every method is well above that of chance, which is 5 %.
void check(const Results& results, const Request& request) {
  bench::require(results.main.lines.size() >= 2, "not every method was evaluated");
  for (const Line& line : results.main.lines)
    bench::require(line.numbers.size() >= 2 && line.numbers[0] > 10, line.name + " ranks no better than chance");
  bench::require(results.protocols.size() == request.protocols.size(), "not every protocol was evaluated");
  for (const Table& table : results.protocols) bench::require(!table.lines.empty(), table.key + " has no line");
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
  bench::require(static_cast<bool>(bcp::write_npy(path, logits, {samples, labels})), "cannot write " + path.string());
  logits = {};
  Request request;
  for (std::size_t k = 0; k < labels; ++k) request.names.push_back(std::to_string(k));
  for (const ProtocolInfo& info : protocols())
    if (state.range(2) != 0) request.protocols.push_back(info.protocol);
  for (auto _ : state) {
    bcp::Result<Stream> stream = Stream::open({.logits = path, .embeddings = {}, .text = {}});
    bench::require(static_cast<bool>(stream), stream ? "" : stream.error().message);
    const bcp::Result<Results> results = evaluate(request, *stream, truth);
    bench::require(static_cast<bool>(results), results ? "" : results.error().message);
    check(*results, request);
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

int main(int argc, char** argv) {
  return bench::run_benchmarks(argc, argv, "samples:5000/labels:20/protocols:0");
}

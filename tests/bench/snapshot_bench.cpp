// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost of saving statistics: the copy, for which frames wait, and the rest, for which they do not.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <map>
#include <random>

#include "adapt/bcp.hpp"
#include "benchmark_main.hpp"
#include "prior/snapshot.hpp"

namespace {

using namespace bcp::adapt;
using namespace bcp::prior;

// A stream of 3,000 samples with about thirty likely labels each.
const Snapshot& learnt(std::size_t labels) {
  static std::map<std::size_t, Snapshot> all;
  const auto found = all.find(labels);
  if (found != all.end()) return found->second;
  Bcp bcp(labels);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(10, 1);
  std::vector<double> frame(labels);
  for (int t = 0; t < (labels > kDenseLabels ? 3000 : 30); ++t) {
    for (double& s : frame) s = noise(random);
    const std::size_t topic = random() % labels;
    for (std::size_t k = 0; k < 30; ++k) frame[(topic + random() % 200) % labels] += 12;
    bench::require(static_cast<bool>(bcp.learn(frame, {})), "a frame was refused");
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < labels; ++k) names.push_back("label number " + std::to_string(k));
  return all.emplace(labels, Snapshot{"model", std::move(names), bcp.seen()}).first->second;
}

// Into new memory each time, as for a stream that saves from time to time.
void copy(benchmark::State& state) {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  const Snapshot& snapshot = learnt(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const SnapshotParts parts{snapshot.model, snapshot.labels, snapshot.seen.parts(), false};
    benchmark::DoNotOptimize(parts.seen.eras[0].single.data());
    bench::require(parts.seen.eras[0].samples > 0 && parts.labels.size() == snapshot.labels.size(),
                   "nothing was copied");
  }
  state.counters["pairs"] = static_cast<double>(snapshot.seen.stored_pairs());
}

void encode(benchmark::State& state) {
  const Snapshot& snapshot = learnt(static_cast<std::size_t>(state.range(0)));
  std::string bytes;
  for (auto _ : state) bytes = encode_snapshot(snapshot);
  const bcp::Result<Snapshot> again = decode_snapshot(bytes);
  bench::require(again && again->labels == snapshot.labels && again->seen.parts().eras == snapshot.seen.parts().eras,
                 "what was encoded cannot be read back");
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

void decode(benchmark::State& state) {
  const std::string bytes = encode_snapshot(learnt(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    const bcp::Result<Snapshot> snapshot = decode_snapshot(bytes);
    bench::require(snapshot && snapshot->seen.samples() > 0, "what was encoded cannot be read back");
  }
}

BENCHMARK(copy)->Arg(20)->Arg(80)->Arg(2000)->Arg(20'000)->Unit(benchmark::kMillisecond);
BENCHMARK(encode)->Arg(80)->Arg(2000)->Arg(20'000)->Unit(benchmark::kMillisecond);
BENCHMARK(decode)->Arg(80)->Arg(2000)->Arg(20'000)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmarks(argc, argv, "/80$");
}

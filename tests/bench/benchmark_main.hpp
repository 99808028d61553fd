// SPDX-License-Identifier: LGPL-2.1-or-later
// The main function of the benchmarks with Google Benchmark, whose own always returns 0.

#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "work.hpp"

namespace bench {

// `quick` is a regular expression: the benchmarks that --quick runs.
inline int run_benchmarks(int argc, char** argv, const std::string& quick) {
  std::string filter = "--benchmark_filter=" + quick, time = "--benchmark_min_time=0.01";
  const bool is_quick = take_quick(argc, argv);
  std::vector<char*> arguments(argv, argv + argc);
  if (is_quick) arguments.insert(arguments.begin() + 1, {filter.data(), time.data()});
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  require(benchmark::RunSpecifiedBenchmarks() > 0, "no benchmark has a name that fits the filter");
  return 0;
}

}  // namespace bench

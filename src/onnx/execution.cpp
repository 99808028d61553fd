// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/execution.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace bcp::onnx {

int thread_count(int threads) {
  if (threads > 0) return threads;
  // The rest decodes and encodes. Past four, an image tower gains little and a machine with several streams loses.
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cpus = CPU_COUNT(&allowed);
  return std::clamp(cpus / 2, 1, 4);
}

}  // namespace bcp::onnx

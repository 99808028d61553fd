// SPDX-License-Identifier: LGPL-2.1-or-later
// What a model runs on, as the user asks for it.

#pragma once

#include <chrono>

namespace bcp::onnx {

enum class Provider {
  kAuto,  // the best there is; provider_note() says what was chosen and why
  kCpu,
  kCuda,
};

struct SessionOptions {
  Provider provider = Provider::kAuto;  // a named provider is a contract: it is used, or open() fails
  int device_id = 0;
  int threads = 0;  // inside one inference; 0: half of the CPUs this process may use, 1 to 4
  // One run that takes longer is stopped, and has failed: up to twice as late. Large towers take seconds on a slow CPU.
  std::chrono::milliseconds max_run{30'000};

  bool operator==(const SessionOptions&) const = default;
};

// What `threads` of the options comes to on this machine. REQUIRES: threads >= 0.
int thread_count(int threads);

}  // namespace bcp::onnx

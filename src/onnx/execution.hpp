// SPDX-License-Identifier: LGPL-2.1-or-later
// The user's choice of provider and precision for a model; which providers to try.

#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/processor.hpp"

namespace bcp::onnx {

enum class Provider {
  kAuto,  // the first of CUDA, OpenVINO and the CPU that works; the tower's note gives the choice and the reason
  kCpu,
  kCuda,
  kOpenVino,
};

// The precision of the arithmetic inside a model. Inputs and outputs keep their types.
enum class Precision {
  kAuto,  // bf16 with OpenVINO if the processor supports it and the embeddings agree, else the model's
  kFp32,  // the model's
  kBf16,  // OpenVINO only
  kInt8,  // a property of the file: the bundle's int8 variant is opened
};

struct SessionOptions {
  Provider provider = Provider::kAuto;  // a named provider is used, or open() fails
  int device_id = 0;
  int threads = 0;  // per inference; 0: half of this process's CPUs, 1 to 4
  // A longer run is stopped and fails, after at most twice this time. Large towers take seconds on a slow CPU. OpenVINO
  // cannot be stopped inside a run: there a late result is still used.
  std::chrono::milliseconds max_run{30'000};
  Precision precision = Precision::kAuto;  // a named precision is used, or open() fails

  bool operator==(const SessionOptions&) const = default;
};

// The number of threads for `threads` of the options. REQUIRES: threads >= 0.
int thread_count(int threads);

// The names for users: "openvino", "bf16".
const char* name_of(Provider provider);
const char* name_of(Precision precision);

// ONNX Runtime's names of the providers, as in onnx::providers().
inline constexpr const char* kCudaProvider = "CUDAExecutionProvider";
inline constexpr const char* kOpenVinoProvider = "OpenVINOExecutionProvider";
bool has_provider(std::span<const std::string> built_in, const char* name);

// Whether the provider supports the precision on this processor; kAuto always succeeds. The error says what to do.
Status check_precision(const SessionOptions& options, const Processor& processor);

// One way to run a model: a provider and a precision that are not kAuto.
struct Candidate {
  Provider provider;
  Precision precision;
  bool compared = false;  // used only if its embeddings agree with the CPU provider's

  bool operator==(const Candidate&) const = default;
};

// The candidates to try, in order. A named provider gives only itself; kAuto gives those of CUDA, OpenVINO and the CPU
// that the library has. REQUIRES: check_precision().
std::vector<Candidate> candidates(const SessionOptions& options, std::span<const std::string> built_in,
                                  const Processor& processor);

}  // namespace bcp::onnx

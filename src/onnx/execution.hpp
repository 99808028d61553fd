// SPDX-License-Identifier: LGPL-2.1-or-later
// What a model runs on and how precisely, as the user asks for it; which providers that leaves to try.

#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/processor.hpp"

namespace bcp::onnx {

enum class Provider {
  kAuto,  // the first of CUDA, OpenVINO and the CPU that works; the tower's note says what was chosen and why
  kCpu,
  kCuda,
  kOpenVino,
};

// What the arithmetic inside a model is done in. Inputs and outputs keep their types.
enum class Precision {
  kAuto,  // bf16 with OpenVINO where the processor has it and the embeddings stay the same, else the model's own
  kFp32,  // the model's own
  kBf16,  // OpenVINO only
  kInt8,  // a property of the file: the bundle's int8 variant is opened
};

struct SessionOptions {
  Provider provider = Provider::kAuto;  // a named provider is a contract: it is used, or open() fails
  int device_id = 0;
  int threads = 0;  // inside one inference; 0: half of the CPUs this process may use, 1 to 4
  // One run that takes longer is stopped, and has failed: up to twice as late. Large towers take seconds on a slow CPU.
  // OpenVINO cannot be stopped inside a run: there the result is used, however late it comes.
  std::chrono::milliseconds max_run{30'000};
  Precision precision = Precision::kAuto;  // a named precision is a contract, too

  bool operator==(const SessionOptions&) const = default;
};

// What `threads` of the options comes to on this machine. REQUIRES: threads >= 0.
int thread_count(int threads);

// The names users write: "openvino", "bf16".
const char* name_of(Provider provider);
const char* name_of(Precision precision);

// ONNX Runtime's own names of the providers, as onnx::providers() lists them.
inline constexpr const char* kCudaProvider = "CUDAExecutionProvider";
inline constexpr const char* kOpenVinoProvider = "OpenVINOExecutionProvider";
bool has_provider(std::span<const std::string> built_in, const char* name);

// Whether the precision can be had with the provider on this processor. An error names the way out. kAuto can always
// be had.
Status check_precision(const SessionOptions& options, const Processor& processor);

// One way to run a model: a provider and a precision that are not kAuto.
struct Candidate {
  Provider provider;
  Precision precision;
  bool compared = false;  // it is used only where its embeddings agree with those of the CPU provider

  bool operator==(const Candidate&) const = default;
};

// The ways to try, in order. A named provider leaves itself only; kAuto leaves those of CUDA, OpenVINO and the CPU that
// the library was built with. REQUIRES: check_precision().
std::vector<Candidate> candidates(const SessionOptions& options, std::span<const std::string> built_in,
                                  const Processor& processor);

}  // namespace bcp::onnx

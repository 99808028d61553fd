// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/execution.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace bcp::onnx {

int thread_count(int threads) {
  if (threads > 0) return threads;
  // The other half decodes and encodes. More than four help an image tower little and slow down other streams.
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cpus = CPU_COUNT(&allowed);
  return std::clamp(cpus / 2, 1, 4);
}

const char* name_of(Provider provider) {
  switch (provider) {
    case Provider::kCpu:
      return "cpu";
    case Provider::kCuda:
      return "cuda";
    case Provider::kOpenVino:
      return "openvino";
    case Provider::kAuto:
      break;
  }
  return "auto";
}

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return "fp32";
    case Precision::kBf16:
      return "bf16";
    case Precision::kInt8:
      return "int8";
    case Precision::kAuto:
      break;
  }
  return "auto";
}

bool has_provider(std::span<const std::string> built_in, const char* name) {
  return std::find(built_in.begin(), built_in.end(), name) != built_in.end();
}

Status check_precision(const SessionOptions& options, const Processor& processor) {
  if (options.precision != Precision::kBf16) return ok();
  if (options.provider == Provider::kCpu || options.provider == Provider::kCuda)
    return Error{ErrorCode::kUnsupported,
                 std::string("precision=bf16 cannot be used with execution-provider=") + name_of(options.provider) +
                     ", which uses the model's precision: set execution-provider=openvino, or precision=auto"};
  if (!processor.has_bf16)
    return Error{ErrorCode::kUnsupported, "precision=bf16 cannot be used: this processor (" + processor.name +
                                              ") has neither avx512_bf16 nor amx_bf16; set precision=auto or fp32"};
  return ok();
}

std::vector<Candidate> candidates(const SessionOptions& options, std::span<const std::string> built_in,
                                  const Processor& processor) {
  const bool any = options.provider == Provider::kAuto, any_precision = options.precision == Precision::kAuto;
  // Except for bf16, the file sets the precision: int8 was chosen with the file.
  const bool wants_bf16 = options.precision == Precision::kBf16;
  std::vector<Candidate> ways;
  if (options.provider == Provider::kCuda || (any && !wants_bf16 && has_provider(built_in, kCudaProvider)))
    ways.push_back({Provider::kCuda, Precision::kFp32});
  if (options.provider == Provider::kOpenVino || (any && (wants_bf16 || has_provider(built_in, kOpenVinoProvider)))) {
    if (wants_bf16 || (any_precision && processor.has_bf16))
      ways.push_back({Provider::kOpenVino, Precision::kBf16, !wants_bf16});
    if (!wants_bf16) ways.push_back({Provider::kOpenVino, Precision::kFp32, any});
  }
  if (options.provider == Provider::kCpu || (any && !wants_bf16)) ways.push_back({Provider::kCpu, Precision::kFp32});
  return ways;
}

}  // namespace bcp::onnx

// SPDX-License-Identifier: LGPL-2.1-or-later
// One model loaded into ONNX Runtime. onnx_session.cpp is the only file of the project that knows that library; a build
// without it has onnx_session_none.cpp, where open() fails.
//
// Nothing of ONNX Runtime runs before the first open(), so that loading a plugin stays quick and cannot fail.
//
// Thread safety: run() may be called by one thread at a time.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/execution.hpp"
#include "clip/tensor_info.hpp"

namespace bcp::clip {

class OnnxSession {
 public:
  static Result<std::unique_ptr<OnnxSession>> open(const std::string& path, const EncoderOptions& options);
  ~OnnxSession();
  OnnxSession(const OnnxSession&) = delete;
  OnnxSession& operator=(const OnnxSession&) = delete;

  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  const std::string& provider() const;       // "cpu" or "cuda"
  const std::string& provider_note() const;  // one sentence about the choice, where provider was kAuto
  int threads() const;

  // Says which tensors run() reads and writes, and their shapes without the leading batch.
  // REQUIRES: both names are the model's, both are float.
  void use(std::string input, std::vector<std::int64_t> input_item, std::string output,
           std::vector<std::int64_t> output_item);

  // Runs a batch from `input` into `output`, in place: no copy is made, and nothing is allocated here as long as the
  // caller keeps to a handful of buffers. REQUIRES: use() was called; both hold `batch` items.
  Status run(const float* input, std::int64_t batch, float* output);

 private:
  OnnxSession();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The library in use, "1.31.1", or empty in a build without it.
std::string onnx_version();

// The providers the library in use was built with, by its own names: "CPUExecutionProvider", ...
std::vector<std::string> onnx_providers();

}  // namespace bcp::clip

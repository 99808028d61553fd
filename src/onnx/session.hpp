// SPDX-License-Identifier: LGPL-2.1-or-later
// One model loaded into ONNX Runtime. session.cpp is the only file of the project that includes that library; a build
// without it uses session_none.cpp, where open() fails.
//
// A model is untrusted code, so it has limits: the tensor memory of all models of the process (kMaxTensorBytes) and the
// time of one run (SessionOptions). A run that exceeds one fails; nothing else is affected. OpenVINO respects neither:
// it has its own memory, and a run cannot be stopped. Models run there only after they have run with the CPU provider,
// within the limits.
//
// Nothing of ONNX Runtime runs before the first open(), so that loading a plugin is fast and cannot fail.
//
// Thread safety: run() and run_once() may be called by one thread at a time.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/execution.hpp"
#include "onnx/tensor_info.hpp"

namespace bcp::onnx {

// Without weights; the largest CLIP towers need far less. Half of the machine's memory if that is less.
inline constexpr std::size_t kMaxTensorBytes = std::size_t{4} << 30;

struct Source {
  std::string path = {};
  std::string bytes = {};  // the model, if it is a part of the file at `path`; empty: the file is loaded
  // Loads the model without precomputing its constants. That step has no limit of time or memory, so a model that never
  // ran before is first tried without it.
  bool untried = false;
  // The same model, already optimised: loaded instead, without optimising again. Empty: not available.
  std::string optimised = {};
  // Where to write the optimised model, with its weights in a second file; empty: nowhere. CPU provider only.
  std::string save_optimised = {};
  bool halves = false;    // some of its tensors are 16-bit floats (File::uses_halves)
  bool branches = false;  // its graph contains graphs (File::has_branches), which a trial may not reach
  // The weight files of `bytes` (File::external_files).
  std::vector<std::string> external_files = {};
  // The inputs with every dimension set, including the batch: OpenVINO compiles the model for these shapes, which is
  // faster. Empty: dynamic dimensions stay dynamic. Other providers ignore it.
  std::vector<TensorInfo> shapes = {};
};

class Session {
 public:
  // The provider is used, or this fails with the library's reason; `cause` receives only the reason, without advice.
  // REQUIRES: provider and precision are not kAuto (candidates() of execution.hpp resolves these).
  static Result<std::unique_ptr<Session>> open(const Source& source, const SessionOptions& options,
                                               std::string* cause = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& provider() const;   // "cpu", "cuda" or "openvino"
  const std::string& precision() const;  // of its arithmetic: "fp32", "fp16" or "bf16"
  bool has_fixed_batch() const;          // compiled for Source::shapes; other batches do not run
  int threads() const;

  // Sets the tensors to read and write, and their shapes after the batch (`shape` without its first). REQUIRES: the
  // names and types are the model's.
  void use(std::vector<TensorInfo> inputs, TensorInfo output);

  // Runs a batch from `inputs`, in the order of use(), into `output`, without copies; nothing is allocated here while
  // the caller reuses a few buffers. REQUIRES: use() was called with every dimension after the batch set; all have
  // `batch` items.
  Status run(std::span<const void* const> inputs, std::int64_t batch, void* output);

  // Runs a batch whose output may have any shape.
  struct Output {
    std::vector<std::int64_t> shape;  // including the batch
    std::vector<float> values;        // converted if the model gives 16-bit floats
  };
  Result<Output> run_once(std::span<const void* const> inputs, std::int64_t batch);

 private:
  Session();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The version of the loaded library, "1.31.1", or empty in a build without it.
std::string version();

// The providers in the loaded library, by its names: "CPUExecutionProvider", ...
std::vector<std::string> providers();

}  // namespace bcp::onnx

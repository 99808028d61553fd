// SPDX-License-Identifier: LGPL-2.1-or-later
// One model loaded into ONNX Runtime. session.cpp is the only file of the project that knows that library; a build
// without it has session_none.cpp, where open() fails.
//
// A model is a program someone else wrote, so it gets limits: what all models of the process hold in tensors
// (kMaxTensorBytes) and how long one run takes (SessionOptions). A run that passes one fails, and nothing else does.
// OpenVINO keeps to neither: it has memory of its own, and a run that began comes to its end. Models get there after
// they have run with the CPU provider, within the limits.
//
// Nothing of ONNX Runtime runs before the first open(), so that loading a plugin stays quick and cannot fail.
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

// Weights are not counted: what the largest towers of CLIP hold besides is far below this. Half of the machine's memory
// where that is less.
inline constexpr std::size_t kMaxTensorBytes = std::size_t{4} << 30;

struct Source {
  std::string path = {};
  std::string bytes = {};  // the model itself, where it was cut out of the file at `path`; empty: the file is loaded
  // Loads the model without computing its constants in advance. That work knows no limit of time or memory, so a model
  // that was never run before is tried out like this first.
  bool untried = false;
  // The same model as it was optimised before: loaded in its place, and not optimised again. Empty: there is none.
  std::string optimised = {};
  // Where the optimised model is written, weights in a file beside it; empty: nowhere. CPU provider only.
  std::string save_optimised = {};
  bool halves = false;    // some of its numbers are 16-bit floats (File::uses_halves)
  bool branches = false;  // it has graphs in its graph (File::has_branches), which a trial may not have reached
  // Where `bytes` are given: the files their weights are in (File::external_files).
  std::vector<std::string> external_files = {};
  // The inputs with every side given, the batch, too: OpenVINO compiles the model for these shapes, which is faster.
  // Empty: sides that the model leaves open stay open. Other providers ignore it.
  std::vector<TensorInfo> shapes = {};
};

class Session {
 public:
  // The provider is used, or this fails with the library's own reason, which `cause` receives alone, without the way
  // out. REQUIRES: provider and precision are not kAuto (candidates() of execution.hpp resolves these).
  static Result<std::unique_ptr<Session>> open(const Source& source, const SessionOptions& options,
                                               std::string* cause = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& provider() const;   // "cpu", "cuda" or "openvino"
  const std::string& precision() const;  // of its arithmetic: "fp32", "fp16" or "bf16"
  bool has_fixed_batch() const;          // it was compiled for Source::shapes, and runs no other batch
  int threads() const;

  // Says which tensors are read and written, and their shapes behind the leading batch (`shape` without its first).
  // REQUIRES: the names and types are the model's.
  void use(std::vector<TensorInfo> inputs, TensorInfo output);

  // Runs a batch from `inputs`, in the order of use(), into `output`, in place: no copy is made, and nothing is
  // allocated here as long as the caller keeps to a handful of buffers. REQUIRES: use() was called; every side behind
  // the batch was given there; all hold `batch` items.
  Status run(std::span<const void* const> inputs, std::int64_t batch, void* output);

  // Runs a batch whose output may have any shape.
  struct Output {
    std::vector<std::int64_t> shape;  // with the batch
    std::vector<float> values;        // converted, where the model gives halves
  };
  Result<Output> run_once(std::span<const void* const> inputs, std::int64_t batch);

 private:
  Session();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The library in use, "1.31.1", or empty in a build without it.
std::string version();

// The providers the library in use was built with, by its own names: "CPUExecutionProvider", ...
std::vector<std::string> providers();

}  // namespace bcp::onnx

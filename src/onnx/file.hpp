// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads an ONNX file without a runtime: its tensors, its external files, and parts of it.
//
// Reading takes milliseconds and little memory for any size: the file is mapped, and weights are skipped. Everything is
// checked against the file's length: a damaged or malicious file is an error, never a wrong read. Content that no valid
// model has is rejected here, before ONNX Runtime reads it: weights outside the model's directory (absolute paths,
// "..", links that lead out), weights larger than their files, and constant shapes that would exhaust the memory.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "onnx/tensor_info.hpp"

namespace bcp::onnx {

class File {
 public:
  static Result<File> open(const std::string& path);
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  const std::string& path() const;
  // The tensors the caller must supply (without initializers, which old exports also list as inputs), and the outputs.
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  int opset() const;  // of the standard operators
  // Full paths of its external weight files.
  const std::vector<std::string>& external_files() const;
  // Rows of the table indexed by the ids of input `ids` (a Gather, perhaps behind a Cast), if found: the vocabulary
  // size of the model.
  std::optional<std::int64_t> table_rows(const std::string& ids) const;
  // Whether its graph contains graphs: branches, loops.
  bool has_branches() const;
  // Whether some of its tensors are 16-bit floats.
  bool uses_halves() const;
  // The value of the initializer with one float whose name ends in `name`, for example "logit_scale".
  std::optional<float> scalar(std::string_view name) const;

  // The part of the model that `outputs` depend on, as ONNX bytes: other nodes, weights and inputs are removed.
  // External weights stay in their files. REQUIRES: every name is one of outputs().
  Result<std::string> part(std::span<const std::string> outputs) const;
  // The inputs of such a part.
  Result<std::vector<TensorInfo>> inputs_of(std::span<const std::string> outputs) const;

 private:
  File();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::onnx

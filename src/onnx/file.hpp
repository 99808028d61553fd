// SPDX-License-Identifier: LGPL-2.1-or-later
// An ONNX file read as what it is, without a runtime: its tensors, the other files it wants, and parts of it.
//
// Reading one costs milliseconds and no memory to speak of, whatever its size: it is mapped, and weights are skipped.
// Everything is checked against the file's own length: a damaged or hostile file is an error, never a wrong read. What
// a sound model never has is refused here, before a runtime sees it: weights outside the model's directory (absolute
// paths, "..", links that lead out), weights larger than the files they come from, constant shapes so large that
// running the model would take all memory.

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
  // What the caller has to supply (initializers are left out, which old exports list as inputs too), and what it gives.
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  int opset() const;  // of ONNX's own operators
  // The files its weights are in besides itself, as full paths.
  const std::vector<std::string>& external_files() const;
  // Rows of the table that the ids of input `ids` are looked up in (a Gather, perhaps behind a Cast), if it is plain
  // to see: the size of the vocabulary the model was made for.
  std::optional<std::int64_t> table_rows(const std::string& ids) const;
  // Whether there are graphs in its graph: branches, loops.
  bool has_branches() const;
  // Whether some of its numbers are 16-bit floats.
  bool uses_halves() const;
  // The value of the initializer that holds one float and whose name ends in `name`: "logit_scale", for one.
  std::optional<float> scalar(std::string_view name) const;

  // The model cut down to what `outputs` depend on, as ONNX bytes: nodes, weights and inputs they do not need are
  // gone. External weights stay where they are. REQUIRES: every name is one of outputs().
  Result<std::string> part(std::span<const std::string> outputs) const;
  // The inputs such a part has.
  Result<std::vector<TensorInfo>> inputs_of(std::span<const std::string> outputs) const;

 private:
  File();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::onnx

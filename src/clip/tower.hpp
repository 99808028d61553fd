// SPDX-License-Identifier: LGPL-2.1-or-later
// One tower of a model, loaded from its part of an ONNX file and tested, on the best provider.

#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/file.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {

struct TowerPart {
  std::vector<onnx::TensorInfo> inputs;
  onnx::TensorInfo output;
  std::string identity;  // names the files' content; empty: unknown
  // It runs on every frame, with `inputs` as they are, including the batch. Other towers run on the CPU when OpenVINO
  // is set or chosen: text is encoded once and cached for all providers, so compiling a tower is not worth the time.
  bool every_frame = false;
};

// Runs a test through the tower and checks the output: unit embeddings, one column per input.
using Trial = std::function<Result<Eigen::MatrixXf>(onnx::Session&)>;

struct Tower {
  std::unique_ptr<onnx::Session> session;
  std::string note;  // one sentence about the choice, if provider or precision was kAuto and OpenVINO or CUDA was tried
};

// Loads only what `part` needs of the file (half of a file with both towers), calls use(), and runs `trial`. A model
// that never passed on this machine runs the trial twice, first in a slow mode that respects the limits of
// onnx::Session from the start; the user's cache stores that it passed, by identity.
//
// With kAuto, providers are tried in the order of onnx::candidates(). OpenVINO is used if its embeddings of the trial
// agree with the CPU provider's (kAgreement, reference.hpp).
Result<Tower> open_tower(const onnx::File& file, const TowerPart& part, const onnx::SessionOptions& options,
                         const Trial& trial);

}  // namespace bcp::clip

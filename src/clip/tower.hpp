// SPDX-License-Identifier: LGPL-2.1-or-later
// One tower of a model, loaded from its part of an ONNX file and found to run, on the provider that suits it.

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
  // It runs on every frame, with `inputs` as they are, batch and all. Others run on the CPU where OpenVINO is asked for
  // or chosen: text is encoded once and cached for all providers, and is not worth the time to compile a tower.
  bool every_frame = false;
};

// Runs something through the tower and judges what comes out: unit embeddings, a column an input.
using Trial = std::function<Result<Eigen::MatrixXf>(onnx::Session&)>;

struct Tower {
  std::unique_ptr<onnx::Session> session;
  std::string
      note;  // one sentence about what runs it, where provider or precision was kAuto and OpenVINO or CUDA tried
};

// Loads what `part` needs of the file and nothing else (of a file with both towers, half), says use(), and puts it to
// `trial`. A model that never passed on this machine is put to the trial twice, first in the slow way that keeps to the
// limits of onnx::Session from the start; that it passed is kept in the user's cache, by identity.
//
// With kAuto, providers are tried in the order of onnx::candidates(). OpenVINO is used where its embeddings of the
// trial agree with those of the CPU provider (kAgreement, reference.hpp).
Result<Tower> open_tower(const onnx::File& file, const TowerPart& part, const onnx::SessionOptions& options,
                         const Trial& trial);

}  // namespace bcp::clip

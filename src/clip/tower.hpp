// SPDX-License-Identifier: LGPL-2.1-or-later
// One tower of a model, loaded from its part of an ONNX file and found to run.

#pragma once

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
};

// Runs something through the tower and judges what comes out.
using Trial = std::function<Status(onnx::Session&)>;

struct Tower {
  std::unique_ptr<onnx::Session> session;
  std::string note;  // one sentence about what runs it, where the provider was kAuto
};

// Loads what `part` needs of the file and nothing else (of a file with both towers, half), says use(), and puts it to
// `trial`. A model that never passed on this machine is put to the trial twice, first in the slow way that keeps to the
// limits of onnx::Session from the start; that it passed is kept in the user's cache, by identity.
// With kAuto, a tower that loads on a GPU and fails there is run on the CPU.
Result<Tower> open_tower(const onnx::File& file, const TowerPart& part, const onnx::SessionOptions& options,
                         const Trial& trial);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// bundle.json: the description a bundle brings itself. Its keys are listed in models/README.md.

#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::clip {

struct Manifest {
  Bundle bundle;                                 // identities are left open
  std::map<std::string, std::string> checksums;  // sha256 by file, relative to the bundle; covers every file named
};

// Reads directory/bundle.json. `visual`, where it is not empty, is a file of the bundle that is to be the image tower
// instead of the one bundle.json names: another variant of it (visual_fp16.onnx). The text tower is then the one with
// the same ending, if the bundle has it, and the image tower's self-test, which holds for one file, is left out.
Result<Manifest> read_manifest(const std::string& directory, const std::string& visual);

}  // namespace bcp::clip

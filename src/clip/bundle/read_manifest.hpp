// SPDX-License-Identifier: LGPL-2.1-or-later
// bundle.json, the description of a bundle. models/README.md lists its keys.

#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::clip {

struct Manifest {
  Bundle bundle;  // without identities
  std::map<std::string, std::string>
      checksums;  // sha256 by file, relative to the bundle; has every file named in bundle.json
};

// Reads directory/bundle.json. `visual`, unless empty, is a file of the bundle to use as the image tower instead of the
// one in bundle.json: another variant (visual_fp16.onnx). The text tower is then the one with the same ending, if there
// is one. The image tower's self-test is left out, because it is for one file.
Result<Manifest> read_manifest(const std::string& directory, const std::string& visual);

}  // namespace bcp::clip

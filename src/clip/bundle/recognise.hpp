// SPDX-License-Identifier: LGPL-2.1-or-later
// A model without a bundle.json: finds its properties from its files (find_towers.hpp), the configuration files
// (model_config.hpp) and its tensors. Contradictions are errors. Missing values default to those of OpenAI's CLIP, and
// the bundle's notes list them.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::clip {

struct Recognised {
  Bundle bundle;                                      // without identities
  std::vector<std::string> visual_files, text_files;  // each tower with its weight files
};

// `chosen`, unless empty, is the file of the directory to use as the image tower.
Result<Recognised> recognise(const std::string& directory, const std::string& chosen);

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
// A model without a bundle.json: what it is and how it wants to be used, from its files (find_towers.hpp), from the
// configuration beside them (model_config.hpp) and from its tensors. These must agree with each other; what none of
// them tells is assumed as OpenAI's CLIP has it, and said in the bundle's notes.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::clip {

struct Recognised {
  Bundle bundle;                                      // identities are left open
  std::vector<std::string> visual_files, text_files;  // each tower with the files its weights are in
};

// `chosen`, where it is not empty, is the file of the directory that is to be the image tower.
Result<Recognised> recognise(const std::string& directory, const std::string& chosen);

}  // namespace bcp::clip

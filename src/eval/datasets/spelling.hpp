// SPDX-License-Identifier: LGPL-2.1-or-later
// One thing, several names: "aeroplane" is VOC's, "airplane" COCO's. A model with ready-made text embeddings knows one
// of them.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"

namespace bcp::eval {

// What the labels are called in `known`: by the same name, case, spaces, underscores and hyphens apart, or by another
// for the same thing. Labels that are there under no name are an error; `model` is named in it.
Result<std::vector<std::string>> names_in_bank(std::span<const std::string> labels, std::span<const clip::Label> known,
                                               const std::string& model);

}  // namespace bcp::eval

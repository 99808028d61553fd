// SPDX-License-Identifier: LGPL-2.1-or-later
// One thing, several names: "aeroplane" is VOC's, "airplane" COCO's. A model with ready-made text embeddings knows one
// of them.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"

namespace bcp::eval {

// Finds a label among those that are known: by the same name, case, spaces, underscores and hyphens apart, or by
// another for the same thing.
class Spelling {
 public:
  explicit Spelling(std::span<const clip::Label> known);
  // As it is known; none: under no name.
  std::optional<std::string> find(std::string_view label) const;

 private:
  std::unordered_map<std::string, std::string> known_;
};

// What the labels are called in `known`. Labels that are there under no name are an error; `model` is named in it.
Result<std::vector<std::string>> names_in_bank(std::span<const std::string> labels, std::span<const clip::Label> known,
                                               const std::string& model);

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
// Different names for the same thing: "aeroplane" in VOC, "airplane" in COCO. A model with fixed text embeddings knows
// one of them.

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

// Finds a label among known ones: by the same name, ignoring case, spaces, underscores and hyphens, or by a synonym.
class Spelling {
 public:
  explicit Spelling(std::span<const clip::Label> known);
  // The known name, or empty.
  std::optional<std::string> find(std::string_view label) const;

 private:
  std::unordered_map<std::string, std::string> known_;
};

// The names of the labels in `known`. Labels without a known name are an error, which names `model`.
Result<std::vector<std::string>> names_in_bank(std::span<const std::string> labels, std::span<const clip::Label> known,
                                               const std::string& model);

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
// Which ONNX files of a directory are a model's towers.
//
// Names people's exporters write are known; where there are none of these, the tensors decide: an image tower takes
// pictures, a text tower takes tokens, one file may take both. What could be several things is an error that lists
// them.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/file.hpp"

namespace bcp::clip {

struct Towers {
  std::string layout;  // what exports such names, for people
  onnx::File visual;
  std::optional<onnx::File> textual;  // none: there is none, or `visual` holds it too
  bool one_file = false;              // `visual` holds both
  std::vector<std::string> others;    // paths of the other ONNX files: variants, the same model in one file
};

struct NamedTowers {
  std::string layout;           // as above
  std::string visual, textual;  // files; textual may be empty
};
// The towers among the ONNX files of a model, by the names people's exporters write; none: no name is known. `chosen`
// as below. Looks at the names alone, so that it also serves for files that are not here yet.
std::optional<NamedTowers> towers_by_name(const std::vector<std::string>& files, const std::string& chosen);

// `chosen`, where it is not empty, is a file of the directory that is to be the image tower; the text tower is then the
// one with the same ending (variant.hpp) if there is one, and the plain one else.
Result<Towers> find_towers(const std::string& directory, const std::string& chosen);

// Whether a directory looks like a model, by the names in it alone.
bool looks_like_model(const std::filesystem::path& directory);

bool takes_pictures(const onnx::File& file);
bool takes_tokens(const onnx::File& file);

}  // namespace bcp::clip

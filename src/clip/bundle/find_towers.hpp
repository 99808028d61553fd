// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the ONNX files of a directory that are a model's towers.
//
// First by the file names of known exporters, then by tensors: an image tower takes pictures, a text tower takes
// tokens, and one file may take both. An ambiguity is an error that lists the candidates.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/file.hpp"

namespace bcp::clip {

struct Towers {
  std::string layout;  // the exporter with such names, for people
  onnx::File visual;
  std::optional<onnx::File> textual;  // empty: missing, or `visual` has both towers
  bool one_file = false;              // `visual` has both towers
  std::vector<std::string> others;    // paths of the other ONNX files: variants, the same model in one file
};

struct NamedTowers {
  std::string layout;           // as above
  std::string visual, textual;  // files; textual may be empty
};
// The towers among the ONNX files of a model, by the file names of known exporters; empty if no name is known. `chosen`
// as below. Uses only the names, so it also works for files that are not downloaded yet.
std::optional<NamedTowers> towers_by_name(const std::vector<std::string>& files, const std::string& chosen);

// `chosen`, unless empty, is the file of the directory to use as the image tower; the text tower is then the one with
// the same ending (variant.hpp), else the one without an ending.
Result<Towers> find_towers(const std::string& directory, const std::string& chosen);

// Whether a directory looks like a model, by its file names only.
bool looks_like_model(const std::filesystem::path& directory);

bool takes_pictures(const onnx::File& file);
bool takes_tokens(const onnx::File& file);

}  // namespace bcp::clip

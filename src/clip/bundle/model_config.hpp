// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the configuration files of a model: Hugging Face (config.json, preprocessor_config.json, tokenizer files),
// open_clip (open_clip_config.json), Immich (config.json, preprocess_cfg.json in separate folders).
//
// Contradicting files are an error that names both; a damaged file is an error that names it.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/json_keys.hpp"
#include "image/preprocessor.hpp"

namespace bcp::clip {

template <typename T>
struct Said {
  T value{};
  std::string where;  // the file with this value
};

struct ModelConfig {
  std::optional<Said<int>> image_size, embedding_size, context_length;
  std::optional<std::array<float, 3>> mean, std;
  std::optional<image::Filter> filter;
  std::optional<image::Resize> resize;
  int resize_to = 0;                  // image::TensorSpec::resize_to
  std::optional<double> logit_scale;  // the factor on cosines
  std::string siglip;                 // what shows that it is a SigLIP type; empty: it is not
  bool reads_pieces = false;          // its text tower reads SentencePiece tokens, not CLIP's
  std::string vocabulary;             // path; empty: the model has no vocabulary file
  std::optional<int> padding;
  std::string no_clip;       // why the model cannot be used; empty: it may be usable
  std::string no_clip_text;  // the same for its text tower only
  std::vector<std::string> notes;
  bool found = false;  // any configuration file

  // Stores a value; an error if another file has a different one.
  static Status agree(std::optional<Said<int>>& known, int value, const std::string& where, const std::string& what);
};

Result<ModelConfig> read_model_config(const std::string& directory);

// Parts of the above, each in its own file.
Status read_preprocess_config(const std::string& directory, ModelConfig& config);  // preprocess_config.cpp
Status read_vocabulary_config(const std::string& directory, ModelConfig& config);  // vocabulary_config.cpp

// Opens the first of `names` in `directory`; empty if all are missing.
Result<std::optional<JsonKeys>> open_first(const std::string& directory, const std::vector<std::string>& names);
// exp(value) if `value` is the stored parameter, `value` if it is already the factor.
std::optional<double> scale_from(double value);

}  // namespace bcp::clip

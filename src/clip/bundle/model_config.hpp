// SPDX-License-Identifier: LGPL-2.1-or-later
// What the configuration files beside a model say about it, whoever wrote them: Hugging Face (config.json,
// preprocessor_config.json, tokenizer files), open_clip (open_clip_config.json), Immich (config.json,
// preprocess_cfg.json in folders of their own).
//
// Files that contradict each other are an error that names both; a damaged one is an error that names it.

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
  std::string where;  // the file that says so
};

struct ModelConfig {
  std::optional<Said<int>> image_size, embedding_size, context_length;
  std::optional<std::array<float, 3>> mean, std;
  std::optional<image::Filter> filter;
  std::optional<image::Resize> resize;
  int resize_to = 0;                  // image::TensorSpec::resize_to
  std::optional<double> logit_scale;  // as cosines are multiplied by it
  std::string siglip;                 // what says that it is of the SigLIP type; empty: nothing
  bool reads_pieces = false;          // its text tower reads SentencePiece's tokens, so that CLIP's cannot be assumed
  std::string vocabulary;             // path; empty: none is beside the model
  std::optional<int> padding;
  std::string no_clip;       // why the model is none that can be used; empty: nothing says so
  std::string no_clip_text;  // the same of its text tower alone
  std::vector<std::string> notes;
  bool found = false;  // any file at all

  // Remembers one more value; an error where another file says otherwise.
  static Status agree(std::optional<Said<int>>& known, int value, const std::string& where, const std::string& what);
};

Result<ModelConfig> read_model_config(const std::string& directory);

// The parts of the above, each in a file of its own.
Status read_preprocess_config(const std::string& directory, ModelConfig& config);  // preprocess_config.cpp
Status read_vocabulary_config(const std::string& directory, ModelConfig& config);  // vocabulary_config.cpp

// The first of `names` below `directory`, opened; nothing where there is none.
Result<std::optional<JsonKeys>> open_first(const std::string& directory, const std::vector<std::string>& names);
// exp(value) where it is the parameter itself, as models store it, and `value` where that was done already.
std::optional<double> scale_from(double value);

}  // namespace bcp::clip

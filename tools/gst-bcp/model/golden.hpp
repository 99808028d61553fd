// SPDX-License-Identifier: LGPL-2.1-or-later
// Reference values: what a model must compute for one picture and some texts, as its original does.
//
// A file of them is JSON; models/golden/README.md describes it.

#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/model.hpp"

namespace bcp::cli {

struct Golden {
  std::string file;                     // where it was read from
  std::vector<std::string> models;      // names of the model it is for
  std::string picture;                  // path
  std::vector<std::string> texts;       // encoded unchanged; for a model without a text tower, its labels
  std::vector<double> logits, softmax;  // one per text, or empty
  std::vector<double> embedding;        // the first numbers of the picture's, or empty
  bool normalised = true;               // it has length 1; false: the output of the tower
  double logits_tolerance = 0, softmax_tolerance = 0, embedding_tolerance = 0;

  static Result<Golden> read(const std::string& path);
  // The values for the model of this name, from the directories "golden" next to the models.
  static Result<Golden> find(const std::string& model);
};

// Whether two names mean the same of CLIP's published models: clip-vit-b32, ViT-B/32, ViT-B-32__openai and
// openai/clip-vit-base-patch32 do.
bool same_model(const std::string& a, const std::string& b);

struct Compared {
  std::string what;
  double expected = 0, found = 0, tolerance = 0;
  bool agrees() const { return std::abs(found - expected) <= tolerance; }  // false for NaN
};

// Runs the model on the picture and the texts. `text_encoder` is the model's, if it has a text tower.
Result<std::vector<Compared>> compare(const Golden& golden, clip::Model& model, clip::TextEncoder* text_encoder);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// One's own results: files that `gst-bcp eval --json` wrote, and which figure of the paper each belongs to.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::paper {

// What a file does not tell by itself; empty: it has to.
struct Told {
  std::string backbone, dataset;
};

class Evaluation {
 public:
  // Reads and checks. A file that is no evaluation, or none of a data set and backbone of the paper, is an error.
  static Result<Evaluation> load(const std::string& path, const Told& told);

  const std::string& path() const { return path_; }
  const std::string& dataset() const { return dataset_; }    // as the paper spells it
  const std::string& backbone() const { return backbone_; }  // likewise
  // What makes its figures differ from the paper's in kind, a sentence each: part of the pictures, say.
  std::vector<std::string> remarks() const;

  // mAP ranked by logits of a method, as the paper calls it ("CLIP", "BCP"; "share, %" is a line's share). Of a
  // protocol, it is the figure of one line; of none (empty), that of the main table.
  std::optional<double> figure(const std::string& method, const std::string& protocol, const std::string& line) const;
  // The mean over the orders that were drawn.
  std::optional<double> mean_over_orders(const std::string& method) const;

 private:
  // What the file calls a method of the paper; empty where it has none as the paper does it.
  std::string key_of(const std::string& method, const std::string& protocol = "") const;

  std::string path_, dataset_, backbone_;
  nlohmann::json json_;
};

// The paper's backbone behind a model's name: "clip-vit-b16", "ViT-B-16__openai", "openai/clip-vit-base-patch16".
// Empty for any other model, trained otherwise or of another size.
std::string backbone_of(const std::string& model);

}  // namespace bcp::cli::paper

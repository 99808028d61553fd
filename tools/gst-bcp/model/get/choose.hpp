// SPDX-License-Identifier: LGPL-2.1-or-later
// Which files of a repository a model needs: repositories contain a model in ten variants and three formats.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/model/get/hub.hpp"

namespace bcp::cli::get {

struct Choice {
  std::vector<RepositoryFile> files;
  std::string variant;               // "fp32", "fp16", ...
  std::vector<std::string> remarks;  // sentences for people
};

struct Selection {
  std::string variant = {};             // one of variant_names(); empty: the most precise one
  std::vector<std::string> files = {};  // ONNX files instead of those found by name; others are added
};

// The towers of that variant with their weights, the configuration, the tokenizer, the licence. An error names what the
// repository has instead.
Result<Choice> choose(const Repository& repository, const Selection& selection);

// The file with both towers, named as by Hugging Face's exporters, in its most precise variant; empty: not present.
// Only this file contains the trained scale and bias of a SigLIP, without which its scores are useless; separate towers
// lack them.
std::string both_in_one(const Repository& repository);

// The values of --variant.
const std::vector<std::string>& variant_names();

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
// Which files of a repository a model needs: repositories hold a model in ten variants and three formats.

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
  std::string variant = {};             // one of variant_names(); empty: the finest there is
  std::vector<std::string> files = {};  // ONNX files in place of those that are found by name; others are added
};

// The towers of that variant with their weights, the configuration, the tokenizer, the licence. An error names what the
// repository has instead.
Result<Choice> choose(const Repository& repository, const Selection& selection);

// The file with both towers, as Hugging Face's exporters call it, in its finest variant; empty: there is none. It is
// the one that holds a SigLIP's trained scale and bias, without which its scores say nothing; the towers of their own
// lack them.
std::string both_in_one(const Repository& repository);

// What --variant takes.
const std::vector<std::string>& variant_names();

}  // namespace bcp::cli::get

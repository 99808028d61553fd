// SPDX-License-Identifier: LGPL-2.1-or-later
// The model to get, as the user gives it.
//
//     hf:OWNER/NAME[@REVISION]   a repository of Hugging Face; OWNER/NAME alone, or its page's address, is the same
//     siglip2-base               a known model (known.hpp)
//     openai:ViT-B/32            a checkpoint of OpenAI's, to be exported
//     https://HOST/visual.onnx   files, one address each

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/model/get/checkpoint.hpp"
#include "gst-bcp/model/get/hub.hpp"
#include "gst-bcp/model/get/known.hpp"

namespace bcp::cli::get {

struct RepositorySource {
  RepositoryName repository;
  const KnownModel* known = nullptr;  // where a known name was given
};

struct AddressSource {
  std::vector<std::string> urls;
  std::vector<std::string> paths;  // of each, in the model's directory
};

using Source = std::variant<RepositorySource, Checkpoint, AddressSource>;

// Several words are several addresses. `endpoint` is HF_ENDPOINT: addresses of its pages are repositories too.
Result<Source> parse_source(const std::vector<std::string>& words, const std::string& endpoint);

}  // namespace bcp::cli::get

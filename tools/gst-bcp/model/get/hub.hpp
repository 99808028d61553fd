// SPDX-License-Identifier: LGPL-2.1-or-later
// Hugging Face's Hub: the files of a model repository at a revision. API: https://huggingface.co/docs/hub/api
//
// /api/models/OWNER/NAME/revision/REVISION gives the commit and the licence, /api/models/OWNER/NAME/tree/COMMIT the
// files with their object ids, page by page. Files are at /OWNER/NAME/resolve/COMMIT/PATH.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/model/get/checksum.hpp"
#include "gst-bcp/model/get/download.hpp"
#include "gst-bcp/model/get/hub_settings.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

struct RepositoryName {
  std::string id;                 // OWNER/NAME
  std::string revision = "main";  // a branch, a tag or a commit
};

struct RepositoryFile {
  std::string path;  // relative, without "..": checked
  std::uint64_t size = 0;
  Checksum checksum = {};  // its hex names the file in the cache
};

struct Repository {
  std::string id, commit;
  std::string licence = {};  // as the repository names it; empty: not given
  bool is_siglip = false;    // by its name, tags and configuration
  std::vector<RepositoryFile> files = {};
};

// Asks the Hub. The answer is checked: names and ids with paths outside the cache are an error.
Result<Repository> ask_hub(const RepositoryName& name, const HubSettings& settings, const Transfer& transfer,
                           Watch& watch);

// Where a file of the repository is.
std::string address_of(const HubSettings& settings, const Repository& repository, const std::string& path);

// The error for an answer that denies a file or the repository: gated, private, missing. `otherwise` is returned for
// all other answers.
Error explain_refusal(const HttpAnswer& answer, const RepositoryName& name, const HubSettings& settings,
                      Error otherwise);

// Whether it is a network error, so that the cache may be used instead.
bool is_unreachable(const Error& error);

// Whether the name of a repository, a tag or a type is one of SigLIP's.
bool names_siglip(std::string text);

// Whether an untrusted path stays inside its directory.
bool is_safe_path(const std::string& path);

}  // namespace bcp::cli::get

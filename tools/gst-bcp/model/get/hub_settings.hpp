// SPDX-License-Identifier: LGPL-2.1-or-later
// The environment that huggingface_hub reads, read in the same way, so that both use one server, login and cache.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::cli::get {

struct HubSettings {
  std::string endpoint;  // HF_ENDPOINT, without a slash at its end; default https://huggingface.co
  std::string token;     // HF_TOKEN, else the file HF_TOKEN_PATH, else $HF_HOME/token; empty: none
  std::string cache;     // HF_HUB_CACHE, else $HF_HOME/hub; HF_HOME is ~/.cache/huggingface by default
  bool offline = false;  // HF_HUB_OFFLINE

  static Result<HubSettings> from_environment();
};

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/hub_settings.hpp"

#include <glib.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "base/file.hpp"

namespace bcp::cli::get {
namespace {

// The first that is set; "~" at its beginning stands for the home directory.
std::string environment(std::initializer_list<const char*> names, const std::string& otherwise) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string text = value;
    return text == "~" || text.starts_with("~/") ? g_get_home_dir() + text.substr(1) : text;
  }
  return otherwise;
}

bool is_true(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](char c) { return g_ascii_toupper(c); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

}  // namespace

Result<HubSettings> HubSettings::from_environment() {
  constexpr std::size_t kMostOfToken = 4096;
  HubSettings settings;
  settings.endpoint = environment({"HF_ENDPOINT"}, "https://huggingface.co");
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  const std::string caches = environment({"XDG_CACHE_HOME"}, std::string(g_get_home_dir()) + "/.cache");
  const std::string home = environment({"HF_HOME"}, caches + "/huggingface");
  settings.cache = environment({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}, home + "/hub");
  settings.offline = is_true(environment({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}, ""));
  settings.token = trimmed(environment({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}, ""));
  if (settings.token.empty())
    if (const Result<std::string> file = read_file(environment({"HF_TOKEN_PATH"}, home + "/token"), kMostOfToken))
      settings.token = trimmed(*file);
  // It becomes a header line of the request.
  const auto is_plain = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!std::all_of(settings.token.begin(), settings.token.end(), is_plain))
    return Error{ErrorCode::kInvalid, "the Hugging Face token has invalid characters: correct HF_TOKEN, or the file " +
                                          environment({"HF_TOKEN_PATH"}, home + "/token")};
  return settings;
}

}  // namespace bcp::cli::get

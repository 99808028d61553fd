// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/page.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "gst-bcp/html/page.hpp"

extern "C" {
extern const char bcp_asset_eval_body[], bcp_asset_eval_body_end[];
extern const char bcp_asset_eval_style[], bcp_asset_eval_style_end[];
extern const char bcp_asset_eval_script[], bcp_asset_eval_script_end[];
}

namespace bcp::cli {
namespace {

using Json = nlohmann::ordered_json;

// The text at `key`; empty if missing.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// "Evaluation: voc2007, clip-vit-b16", or the name of the file.
std::string title_of(const Json& evaluation) {
  const Json settings = evaluation.value("settings", Json::object());
  const Json files = settings.value("files", Json::object());
  std::string title = text_at(settings, "dataset");
  for (const char* file : {"logits", "embeddings"})
    if (title.empty()) title = std::filesystem::path(text_at(files, file)).filename().string();
  if (const std::string model = text_at(settings, "model"); !model.empty())
    title += (title.empty() ? "" : ", ") + std::filesystem::path(model).filename().string();
  return title.empty() ? "Evaluation" : "Evaluation: " + title;
}

}  // namespace

Status write_eval_page(const std::string& path, const Json& evaluation) {
  return replace_file(path, html::assemble({.title = title_of(evaluation),
                                            .body = {bcp_asset_eval_body, bcp_asset_eval_body_end},
                                            .style = {bcp_asset_eval_style, bcp_asset_eval_style_end},
                                            .script = {bcp_asset_eval_script, bcp_asset_eval_script_end},
                                            .data = evaluation}));
}

}  // namespace bcp::cli

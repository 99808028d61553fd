// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/show/report.hpp"

#include <filesystem>

#include "gst-bcp/common/options.hpp"
#include "gst-bcp/report/page.hpp"

namespace bcp::cli::run {
namespace {

nlohmann::ordered_json describe(const Job& job) {
  nlohmann::ordered_json settings;
  std::string model = value_of(job.settings(), "model");
  if (model.empty()) model = clip::kDemoBundle;
  settings["model"] = model;
  if (const Result<clip::Bundle> bundle = open_bundle(model)) settings["model identity"] = bundle->identity;
  for (const auto& [name, text] : job.settings()) {
    // How this program keeps house is nothing to reproduce.
    if (name == "model" || name == "model-instance-id" || name == "prior-file") continue;
    settings[name] = text;
  }
  settings["gst-bcp"] = BCP_VERSION;
  gchar* version = gst_version_string();
  settings["GStreamer"] = version;
  g_free(version);
  return settings;
}

}  // namespace

Status write_report(const Request& request, Job& job) {
  Task& task = job.task();
  PageRequest page;
  page.results = task.recipe.page_results;
  page.keeps_results = false;
  page.page = task.page.part();
  const std::string prior = value_of(task.recipe.tagger, "prior-file");
  std::error_code none;
  if (std::filesystem::exists(prior, none)) page.prior = prior;
  if (task.input.kind == InputKind::kVideo) page.video = task.input.path.empty() ? task.input.uri : task.input.path;
  page.title = job.name();
  page.settings = describe(job);
  page.command = request.command;
  const Result<PageSummary> written = write_page(page);
  if (!written) return written.error();
  return task.page.commit();
}

}  // namespace bcp::cli::run

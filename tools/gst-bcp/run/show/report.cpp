// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/show/report.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "gst-bcp/common/options.hpp"
#include "gst-bcp/report/page.hpp"

namespace bcp::cli::run {
namespace {

// `tagger`: the properties of bcptagger during the run.
nlohmann::ordered_json describe(const std::vector<Setting>& tagger) {
  nlohmann::ordered_json settings;
  std::string model = value_of(tagger, "model");
  if (model.empty()) model = clip::kBundledModel;
  settings["model"] = model;
  if (const Result<clip::Bundle> bundle = open_bundle(model)) settings["model identity"] = bundle->identity;
  for (const auto& [name, text] : tagger) {
    // Internal settings of this program are not needed to reproduce the run.
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

Worker::Work report_work(const Request& request, Job& job) {
  struct Order {
    OutputFile file;
    PageRequest page;
    std::vector<Setting> tagger;
  };
  Task& task = job.task();
  const auto order = std::make_shared<Order>();
  order->file = std::move(task.page);
  order->tagger = job.settings();
  PageRequest& page = order->page;
  page.results = task.recipe.page_results;
  page.keeps_results = false;
  page.page = order->file.part();
  page.prior = value_of(task.recipe.tagger, "prior-file");
  if (task.input.kind == InputKind::kVideo) page.video = task.input.path.empty() ? task.input.uri : task.input.path;
  page.title = job.name();
  page.command = request.command;
  return [order](std::stop_token stop) -> Status {
    std::error_code none;
    if (!std::filesystem::exists(order->page.prior, none)) order->page.prior.clear();
    order->page.settings = describe(order->tagger);
    order->page.stop = std::move(stop);
    const Result<PageSummary> written = write_page(order->page);
    if (!written) return written.error();
    return order->file.commit();
  };
}

}  // namespace bcp::cli::run

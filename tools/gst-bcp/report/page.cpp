// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/spelling.hpp"
#include "gst-bcp/common/address.hpp"
#include "gst-bcp/html/page.hpp"
#include "gst-bcp/report/page_data.hpp"
#include "prior/snapshot.hpp"

extern "C" {
extern const char bcp_asset_report_body[], bcp_asset_report_body_end[];
extern const char bcp_asset_report_style[], bcp_asset_report_style_end[];
extern const char bcp_asset_report_script[], bcp_asset_report_script_end[];
}

namespace bcp::cli {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMaxThumbnails = 150, kMaxExampleThumbnails = 70;
constexpr TimelineLimits kWholePage;

// Steps and cells are divided among the streams, so that a page of many is not larger than a page of one.
StreamFindings examine(Stream& stream, const Results& results) {
  const double share = static_cast<double>(stream.moments.size()) / static_cast<double>(results.results);
  const auto part = [share](std::size_t whole, std::size_t least) {
    return std::max(least, static_cast<std::size_t>(share * static_cast<double>(whole)));
  };
  StreamFindings findings;
  findings.stream = &stream;
  findings.axis = lay_out(stream);
  findings.timeline = make_timeline(stream, results.labels.size(),
                                    {.steps = part(kWholePage.steps, 300), .cells = part(kWholePage.cells, 2000)});
  findings.changes = find_changes(stream, results.labels.size());
  return findings;
}

// The source of the video. Of several it is the one with the name of the file, if any: a wrong picture is worse than
// none.
std::optional<std::string> source_of(const std::string& video, const Results& results) {
  std::set<std::string> sources;
  for (const Stream& stream : results.streams) sources.insert(stream.source);
  if (sources.size() == 1) return *sources.begin();
  const std::string name = lower(fs::path(video).filename().string());
  const std::string stem = lower(fs::path(video).stem().string());
  for (const std::string& source : sources) {
    const std::string wanted = lower(source);
    if (wanted == stem || wanted == name || lower(fs::path(source).filename().string()) == name) return source;
  }
  return std::nullopt;
}

// The times of the examples in the page, most changed labels first, and then evenly over the stream.
std::vector<double> thumbnail_times(const std::vector<StreamFindings>& all, const std::string& source) {
  std::set<double> times;
  for (const StreamFindings& findings : all) {
    const Stream& stream = *findings.stream;
    if (stream.source != source || findings.axis != TimeAxis::kPts) continue;
    std::vector<const LabelChange*> labels;
    for (const LabelChange& label : findings.changes.labels) labels.push_back(&label);
    std::stable_sort(labels.begin(), labels.end(), [](const LabelChange* a, const LabelChange* b) {
      return a->added + a->removed > b->added + b->removed;
    });
    for (const LabelChange* label : labels)
      for (const Example& example : label->examples)
        if (times.size() < kMaxExampleThumbnails) times.insert(stream.moments[example.moment].pts);
    const std::size_t wanted = std::min(kMaxThumbnails - times.size(), stream.moments.size());
    for (std::size_t i = 0; i < wanted && times.size() < kMaxThumbnails; ++i)
      times.insert(stream.moments[i * stream.moments.size() / wanted].pts);
  }
  return {times.begin(), times.end()};
}

struct Thumbnails {
  Json json = nullptr;
  std::string source;
  std::string remark;  // why they are missing
};

Thumbnails take_thumbnails(const std::string& video, const Results& results, const std::vector<StreamFindings>& all,
                           const std::stop_token& stop) {
  Thumbnails thumbnails;
  if (video.empty()) return thumbnails;
  const std::optional<std::string> source = source_of(video, results);
  if (!source) {
    thumbnails.remark = "there are no thumbnails of " + video +
                        ": the results have several sources, and none of them " +
                        "has the video's name; make a page for each source";
    return thumbnails;
  }
  const std::vector<double> times = thumbnail_times(all, *source);
  if (times.empty()) {
    thumbnails.remark = "there are no thumbnails of " + video + ": the results have no stream time to find them by";
    return thumbnails;
  }
  const Result<ThumbnailSheet> sheet = make_thumbnails(video, times, stop);
  if (!sheet) {
    thumbnails.remark = sheet.error().message;
    return thumbnails;
  }
  thumbnails.json = thumbnails_json(*sheet);
  thumbnails.source = *source;
  return thumbnails;
}

// The labels of the results come first in the prior.
std::vector<std::string> labels_shown(const std::vector<StreamFindings>& all, const Results& results) {
  std::vector<std::string> names;
  for (const StreamFindings& findings : all) {
    constexpr std::size_t kMost = 150;
    for (const LabelChange& label : findings.changes.labels)
      if (names.size() < kMost) names.push_back(results.labels[label.label]);
  }
  return names;
}

}  // namespace

Result<PageSummary> write_page(const PageRequest& request) {
  const Error given_up{ErrorCode::kRuntime, request.page + " was not written: it was stopped"};
  if (request.stop.stop_requested()) return given_up;
  std::optional<Prior> prior;
  if (!request.prior.empty()) {
    Result<prior::Snapshot> snapshot = prior::load_snapshot(request.prior);
    if (!snapshot) return snapshot.error();
    prior.emplace(*std::move(snapshot));
  }
  Result<Results> read = read_results(request.results);
  if (!read) return read.error();
  Results& results = *read;

  std::vector<StreamFindings> all;
  for (Stream& stream : results.streams) all.push_back(examine(stream, results));
  Thumbnails thumbnails = take_thumbnails(request.video, results, all, request.stop);
  if (request.stop.stop_requested()) return given_up;
  thumbnails.remark = run::without_secrets(thumbnails.remark);
  const std::string video = run::without_secrets(request.video);
  std::vector<std::string> command;
  for (const std::string& word : request.command)
    command.push_back(run::is_address(word) ? run::shown_address(word) : run::without_secrets(word));

  const std::string name = fs::path(request.results).filename().string();
  const std::string title = request.title.empty() ? name : request.title;
  Json data = {{"title", title},
               {"file",
                {{"name", request.keeps_results ? name : ""},
                 {"bytes", results.bytes},
                 {"lines", results.lines},
                 {"results", results.results},
                 {"events", results.events},
                 {"skipped", results.skipped},
                 {"older", results.older},
                 {"faults", results.first_faults}}},
               {"settings", request.settings},
               {"command", command},
               {"video", {{"name", fs::path(video).filename().string()}, {"remark", thumbnails.remark}}},
               {"sure", kSure},
               {"few_samples", kFewSamples},
               {"labels", results.labels},
               {"contexts", results.contexts},
               {"streams", Json::array()},
               {"prior", prior ? prior_json(*prior, labels_shown(all, results)) : Json(nullptr)},
               {"thumbnails", thumbnails.json},
               {"thumbnails_of", thumbnails.source}};
  for (const StreamFindings& findings : all)
    data["streams"].push_back(stream_json(findings, results.labels, prior ? &*prior : nullptr));

  const std::string page = html::assemble({.title = title,
                                           .body = {bcp_asset_report_body, bcp_asset_report_body_end},
                                           .style = {bcp_asset_report_style, bcp_asset_report_style_end},
                                           .script = {bcp_asset_report_script, bcp_asset_report_script_end},
                                           .data = std::move(data)});
  if (const Status written = replace_file(request.page, page); !written) return written.error();

  PageSummary summary;
  summary.results = results.results;
  summary.skipped = results.skipped;
  summary.first_faults = results.first_faults;
  if (!thumbnails.remark.empty()) summary.remarks.push_back(thumbnails.remark);
  return summary;
}

}  // namespace bcp::cli

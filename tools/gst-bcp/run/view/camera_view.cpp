// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/camera_view.hpp"

#include <chrono>
#include <cmath>
#include <regex>
#include <utility>

#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::view {
namespace {

using Json = nlohmann::json;

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  if (what.empty() || what == with) return;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

Json number_in(const GstStructure* stats, const char* field) {
  const GValue* value = gst_structure_get_value(stats, field);
  if (!value) return nullptr;
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    const double number = g_value_get_double(value);
    return std::isfinite(number) ? Json(std::round(number * 100) / 100) : Json(nullptr);
  }
  if (G_VALUE_HOLDS_UINT64(value)) return g_value_get_uint64(value);
  if (G_VALUE_HOLDS_UINT(value)) return g_value_get_uint(value);
  if (G_VALUE_HOLDS_BOOLEAN(value)) return static_cast<bool>(g_value_get_boolean(value));
  return nullptr;
}

}  // namespace

double wall_clock_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string without_address(std::string sentence, const run::Input& input) {
  replace_all(sentence, input.uri, input.source);
  replace_all(sentence, input.name, input.source);
  // Addresses of other servers, and other forms of this one.
  static const std::regex address("[A-Za-z][A-Za-z0-9+.-]*://[^\\s,;\"')]+");
  return std::regex_replace(sentence, address, "its address");
}

void CameraView::begin(run::Job& job) {
  job_ = &job;
  connection_ = Connection::kOpening;
  since_ = wall_clock_now();
  reason_.clear();
}

void CameraView::play() {
  const gst::ElementPtr tagger = this->tagger();
  if (!tagger) return;
  frames_ = std::make_shared<run::FrameTap>(tagger.get());
  results_ = std::make_unique<ResultTap>(tagger.get());
  controls_.attach(tagger.get());
}

std::vector<std::uint64_t> CameraView::see(const run::Seen& seen) {
  if (connection_ == Connection::kOpening) {
    connection_ = Connection::kLive;
    since_ = wall_clock_now();
  }
  return history_.see(seen.labels, wall_clock_now());
}

void CameraView::set_source(bool is_there, const std::string& sentence) {
  connection_ = is_there ? Connection::kLive : Connection::kLost;
  since_ = wall_clock_now();
  reason_ = is_there || !job_ ? std::string() : without_address(sentence, job_->task().input);
  if (is_there) return;
  ++losses_;
  history_.end(since_);
}

void CameraView::remark(const std::string& sentence) {
  remarks_.push_front({wall_clock_now(), job_ ? without_address(sentence, job_->task().input) : sentence});
  if (remarks_.size() > kMostRemarks) remarks_.pop_back();
}

void CameraView::close() {
  if (job_ && !job_->fault().empty()) remark(job_->fault());
  frames_.reset();
  results_.reset();
  taken_.reset();
  connection_ = Connection::kEnded;
  since_ = wall_clock_now();
  history_.end(since_);
  reason_ = job_ ? without_address(job_->fault(), job_->task().input) : std::string();
  job_ = nullptr;
}

gst::BcpResultPtr CameraView::take_result() {
  gst::BcpResultPtr newest = newest_result();
  if (!newest || newest == taken_) return nullptr;
  taken_.reset(gst_bcp_result_ref(newest.get()));
  return newest;
}

Json CameraView::json() const {
  constexpr std::array<const char*, 4> kConnections{"opening", "live", "lost", "ended"};
  Json remarks = Json::array();
  for (const Remark& each : remarks_) remarks.push_back({{"at", each.at}, {"text", each.text}});
  Json made{{"id", id_},
            {"name", name_},
            {"connection", kConnections.at(static_cast<std::size_t>(connection_))},
            {"since", since_},
            {"reason", reason_},
            {"losses", losses_},
            {"remarks", std::move(remarks)},
            {"lessons", lessons_.json()},
            {"records", job_ && !job_->task().record.folder.empty()}};
  if (const gst::ElementPtr tagger = this->tagger()) {
    made["labels"] = controls_.labels(tagger.get(), kMostLabels);
    made["settings"] = controls_.settings(tagger.get());
    made["rates"] = rates(tagger.get());
  }
  return made;
}

Json CameraView::rates(GstElement* tagger) const {
  GstStructure* stats = nullptr;
  g_object_get(tagger, "stats", &stats, nullptr);
  const gst::StructurePtr owned(stats);
  if (!stats) return nullptr;
  Json made;
  for (const char* field :
       {"frames", "scored", "frames-per-second", "scored-per-second", "inference-p50-ms", "inference-p99-ms",
        "age-p50-ms", "samples", "taught", "faults", "labels", "threshold", "static-skipped", "prior-saved"})
    made[field] = number_in(stats, field);
  return made;
}

Json CameraView::span_json(const Span& span, const Thumbnails& thumbnails) {
  return {{"id", span.id},
          {"label", span.label},
          {"start", span.start},
          {"end", span.end},
          {"open", span.open},
          {"peak", std::round(span.peak * 1e3) / 1e3},
          {"picture", thumbnails.has(span.id)}};
}

Json CameraView::spans(const Thumbnails& thumbnails) const {
  Json made = Json::array();
  for (const Span& span : history_.spans()) made.push_back(span_json(span, thumbnails));
  return made;
}

}  // namespace bcp::cli::view

// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera as the page shows it. It outlives its jobs: a camera that is started again keeps its number and history.
// Main thread.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gst-bcp/run/pipeline/frame_tap.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/view/history.hpp"
#include "gst-bcp/run/view/lessons.hpp"
#include "gst-bcp/run/view/result_tap.hpp"
#include "gst-bcp/run/view/tagger_controls.hpp"
#include "gst-bcp/run/view/thumbnails.hpp"

namespace bcp::cli::view {

// Seconds since 1970.
double wall_clock_now();

// A sentence about a camera without its address: "rtsp://10.0.0.7/1 was lost" becomes "door was lost".
std::string without_address(std::string sentence, const run::Input& input);

class CameraView {
 public:
  static constexpr std::size_t kMostRemarks = 8;
  static constexpr std::size_t kMostLabels = 200;  // sent to the page

  CameraView(CameraId id, std::string name, std::uint64_t& next_span, WordFiles& files)
      : id_(id), name_(std::move(name)), history_(next_span), controls_(files) {}

  CameraId id() const { return id_; }
  const std::string& name() const { return name_; }
  run::Job* job() const { return job_; }
  gst::ElementPtr tagger() const { return job_ ? job_->child(run::kTagger) : nullptr; }
  const std::shared_ptr<run::FrameTap>& frames() const { return frames_; }
  History& history() { return history_; }
  Lessons& lessons() { return lessons_; }
  TaggerControls& controls() { return controls_; }

  void begin(run::Job& job);
  void play();
  // Returns the spans that began.
  std::vector<std::uint64_t> see(const run::Seen& seen);
  void set_source(bool is_there, const std::string& sentence);
  void remark(const std::string& sentence);
  void close();

  // The newest result, if it is another one than at the last call; null: the same.
  gst::BcpResultPtr take_result();
  gst::BcpResultPtr newest_result() const { return results_ ? results_->newest() : nullptr; }

  // Its state, settings, rates and remarks.
  nlohmann::json json() const;
  nlohmann::json spans(const Thumbnails& thumbnails) const;
  static nlohmann::json span_json(const Span& span, const Thumbnails& thumbnails);

 private:
  enum class Connection { kOpening, kLive, kLost, kEnded };
  struct Remark {
    double at;
    std::string text;
  };
  nlohmann::json rates(GstElement* tagger) const;

  const CameraId id_;
  const std::string name_;
  run::Job* job_ = nullptr;
  Connection connection_ = Connection::kOpening;
  double since_ = wall_clock_now();  // of the connection's state
  std::string reason_;               // for it
  unsigned losses_ = 0;
  std::deque<Remark> remarks_;  // the newest first
  std::shared_ptr<run::FrameTap> frames_;
  std::unique_ptr<ResultTap> results_;
  gst::BcpResultPtr taken_;
  History history_;
  Lessons lessons_;
  TaggerControls controls_;
};

}  // namespace bcp::cli::view

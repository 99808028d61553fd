// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/video.hpp"

#include <cstdint>
#include <memory>
#include <sstream>
#include <utility>

#include "eval/average_precision.hpp"
#include "eval/run.hpp"
#include "eval/viewer.hpp"

namespace bcp::eval {
namespace {

using adapt::AdapterSettings;

// A part of the settings that goes from the paper's value to ours and back.
struct Addition {
  const char* name;
  void (*copy)(const AdapterSettings& from, AdapterSettings& to);
};

constexpr Addition kAdditions[] = {
    {"anchors",
     [](const AdapterSettings& from, AdapterSettings& to) {
       to.bcp.anchors = from.bcp.anchors;
       to.bcp.anchor_confidence = from.bcp.anchor_confidence;
     }},
    {"keep-anchor",
     [](const AdapterSettings& from, AdapterSettings& to) { to.bcp.keep_anchor = from.bcp.keep_anchor; }},
    {"shrinkage", [](const AdapterSettings& from, AdapterSettings& to) { to.bcp.shrinkage = from.bcp.shrinkage; }},
    {"half-life", [](const AdapterSettings& from, AdapterSettings& to) { to.bcp.half_life = from.bcp.half_life; }},
    {"novelty", [](const AdapterSettings& from, AdapterSettings& to) { to.novelty = from.novelty; }},
};

// Rows of an array, and whose truth each has.
struct Ranked {
  ScoreArray logits, softmax;
  std::vector<std::uint32_t> pictures;

  Ranked(std::size_t rows, std::size_t labels) : logits(rows, labels), softmax(rows, labels) { pictures.reserve(rows); }
  void add(std::uint32_t picture, std::span<const double> row_logits, std::span<const double> row_softmax) {
    logits.set_row(pictures.size(), row_logits);
    softmax.set_row(pictures.size(), row_softmax);
    pictures.push_back(picture);
  }
};

// What a shot's frames scored on average.
class ShotMean {
 public:
  explicit ShotMean(std::size_t labels) : logits_(labels), softmax_(labels) {}

  void add(const adapt::Scores& scores) {
    for (std::size_t k = 0; k < logits_.size(); ++k) {
      logits_[k] += scores.corrected[k];
      softmax_[k] += scores.probability[k];
    }
    ++frames_;
  }
  void finish(std::uint32_t picture, Ranked& shots) {
    for (std::size_t k = 0; k < logits_.size(); ++k) {
      logits_[k] /= static_cast<double>(frames_);
      softmax_[k] /= static_cast<double>(frames_);
    }
    shots.add(picture, logits_, softmax_);
    *this = ShotMean(logits_.size());
  }

 private:
  std::vector<double> logits_, softmax_;
  std::size_t frames_ = 0;
};

// In percent.
double mean_average_precision(const ScoreArray& scores, const std::vector<std::uint32_t>& pictures,
                              const Truth& truth) {
  std::vector<std::int8_t> column(pictures.size());
  std::vector<double> all(truth.labels);
  for (std::size_t k = 0; k < truth.labels; ++k) {
    for (std::size_t i = 0; i < pictures.size(); ++i) column[i] = truth.at(pictures[i], k);
    all[k] = average_precision(scores.of_label(k), column);
  }
  return 100 * mean(all);
}

std::size_t frames_of(std::span<const Shot> shots) {
  std::size_t frames = 0;
  for (const Shot& shot : shots) frames += shot.frames;
  return frames;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"frames.logits", "mAP of frames, logits", 2},
      {"frames.softmax", "mAP of frames, softmax", 2},
      {"shots.logits", "mAP of shots, logits", 2},
      {"shots.softmax", "mAP of shots, softmax", 2},
      {"flicker", "flicker a minute", 1},
      {"flicker_hysteresis", "flicker, hysteresis", 1},
      {"first_label", "first label, s", 2},
      {"never_named", "never named, %", 2},
      {"f1", "F1", 2},
      {"learnt", "learnt, %", 1},
  };
  return all;
}

using FrameTicks = std::function<void(std::size_t)>;

Result<Line> run_method(Stream& stream, const Truth& truth, std::span<const Shot> shots, const Method& method,
                        const VideoSettings& settings, const FrameTicks& ticks) {
  constexpr std::size_t kTick = 256;
  const std::size_t labels = stream.labels(), frames = frames_of(shots);
  Result<std::unique_ptr<Adapter>> adapter = Adapter::make(method, stream.text());
  if (!adapter) return adapter.error();
  decide::DecisionSettings hysteresis = settings.decision;
  hysteresis.threshold_off = settings.threshold_off;
  Viewer viewer(settings.decision, settings.dwell.frame_rate), calm_viewer(hysteresis, settings.dwell.frame_rate);
  Ranked by_frame(frames, labels), by_shot(shots.size(), labels);
  ShotMean shot_mean(labels);
  DwellStream video(stream, shots, settings.dwell);
  adapt::Scores scores;
  for (std::size_t i = 0; i < frames; ++i) {
    const Result<const DwellStream::Frame*> frame = video.next();
    if (!frame) return frame.error();
    if (const Status adapted = (*adapter)->adapt((*frame)->sample, (*frame)->time, scores); !adapted)
      return adapted.error();
    const Shot& shot = shots[(*frame)->shot];
    const std::span<const std::int8_t> is_true(&truth.values[shot.picture * labels], labels);
    viewer.see((*frame)->number == 0, scores.probability, is_true);
    calm_viewer.see((*frame)->number == 0, scores.probability, is_true);
    by_frame.add(shot.picture, scores.corrected, scores.probability);
    shot_mean.add(scores);
    if ((*frame)->number + 1 == shot.frames) shot_mean.finish(shot.picture, by_shot);
    if (i % kTick == 0) ticks(i);
  }
  const Impression seen = viewer.impression(), seen_calm = calm_viewer.impression();
  const bool learns = method.kind != MethodKind::kNone;
  return Line{method.key,
              {mean_average_precision(by_frame.logits, by_frame.pictures, truth),
               mean_average_precision(by_frame.softmax, by_frame.pictures, truth),
               mean_average_precision(by_shot.logits, by_shot.pictures, truth),
               mean_average_precision(by_shot.softmax, by_shot.pictures, truth), seen.flicker, seen_calm.flicker,
               seen.first_label, seen.never_named, seen.f1,
               learns ? 100 * static_cast<double>((*adapter)->learnt()) / static_cast<double>(frames) : kNone}};
}

// "1000 shots of 1 to 300 frames, ...".
std::string note(std::span<const Shot> shots, const Stream& stream, const VideoSettings& settings) {
  const DwellSettings& dwell = settings.dwell;
  const double minutes = static_cast<double>(frames_of(shots)) / dwell.frame_rate / 60;
  std::ostringstream text;
  text.precision(3);
  text << "A video made from pictures: " << shots.size() << " shots of 1 to " << dwell.longest << " frames, "
       << frames_of(shots) << " frames or " << minutes << " minutes at " << dwell.frame_rate
       << " frames a second, seed " << dwell.seed << ". Labels are shown from " << settings.decision.threshold
       << " on; with hysteresis, down to " << settings.threshold_off << ".";
  if (!stream.has_embeddings())
    text << " There are no embeddings: logits are changed instead, and the novelty gate lets every frame through.";
  return text.str();
}

}  // namespace

std::vector<Method> video_ablations(const AdapterSettings& full, bool has_embeddings) {
  const AdapterSettings paper = adapt::preset_settings(adapt::Preset::kPaper);
  std::vector<Method> with, without;
  for (const Addition& addition : kAdditions) {
    AdapterSettings plus = paper, minus = full;
    addition.copy(full, plus);
    addition.copy(paper, minus);
    const std::string name = addition.name;
    if (plus == paper || (name == "novelty" && !has_embeddings)) continue;
    with.push_back({"paper+" + name, "paper's BCP, " + name, MethodKind::kBcp, plus});
    without.push_back({"video-" + name, "BCP for video without " + name, MethodKind::kBcp, minus});
  }
  with.insert(with.end(), without.begin(), without.end());
  return with;
}

Result<Table> video_protocol(Stream& stream, const Truth& truth, std::span<const Method> methods,
                             const VideoSettings& settings, const Progress& progress) {
  const std::vector<Shot> shots = draw_shots(stream.samples(), settings.dwell);
  Table table{.key = "video",
              .title = "Video: shots with dwell",
              .line_key = "method",
              .line_title = "method",
              .columns = columns(),
              .lines = {},
              .note = note(shots, stream, settings)};
  const double frames = static_cast<double>(frames_of(shots));
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto ticks = [&](std::size_t frame) {
      const double done = static_cast<double>(i) + static_cast<double>(frame) / frames;
      if (progress) progress(done / static_cast<double>(methods.size()), "video, " + methods[i].key);
    };
    Result<Line> line = run_method(stream, truth, shots, methods[i], settings, ticks);
    if (!line) return line.error();
    table.lines.push_back(std::move(*line));
  }
  return table;
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/video.hpp"

#include <algorithm>
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

// A part of the settings with the paper's value and ours.
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

// Rows of an array, and the sample whose truth each has.
struct RankedShots {
  ScoreArray logits, softmax;
  std::vector<std::uint32_t> pictures;

  RankedShots(std::size_t rows, std::size_t labels) : logits(rows, labels), softmax(rows, labels) {
    pictures.reserve(rows);
  }
  void add(std::uint32_t picture, std::span<const double> row_logits, std::span<const double> row_softmax) {
    logits.set_row(pictures.size(), row_logits);
    softmax.set_row(pictures.size(), row_softmax);
    pictures.push_back(picture);
  }
};

// The mean scores of a shot's frames.
class ShotMean {
 public:
  explicit ShotMean(std::size_t labels) : logits_(labels), softmax_(labels) {}

  void add(std::span<const double> logits, std::span<const double> softmax) {
    for (std::size_t k = 0; k < logits_.size(); ++k) {
      logits_[k] += logits[k];
      softmax_[k] += softmax[k];
    }
    ++frames_;
  }
  void finish(std::uint32_t picture, RankedShots& shots) {
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

// The result of a frame.
struct Labelled {
  std::span<const double> logits, probability;
  bool cut = false;  // a new shot begins
};

class Labeller {
 public:
  virtual ~Labeller() = default;
  // Valid until the next call.
  virtual Result<Labelled> see(const DwellStream::Frame& frame) = 0;
};

class MethodLabeller : public Labeller {
 public:
  explicit MethodLabeller(std::unique_ptr<Adapter> adapter) : adapter_(std::move(adapter)) {}

  Result<Labelled> see(const DwellStream::Frame& frame) override {
    if (const Status adapted = adapter_->adapt(frame.sample, frame.time, scores_); !adapted) return adapted.error();
    return Labelled{scores_.corrected, scores_.probability};
  }
  std::size_t learnt() const { return adapter_->learnt(); }

 private:
  std::unique_ptr<Adapter> adapter_;
  adapt::Scores scores_;
};

class PresenceLabeller : public Labeller {
 public:
  // `span` in seconds; 0: no averaging.
  PresenceLabeller(const VideoPresence& presence, const Stream& stream, double span)
      : rule_(presence.names, presence.settings), scores_(presence.settings, stream), span_(span) {}

  Result<Labelled> see(const DwellStream::Frame& frame) override {
    if (const Status scored = rule_.score(scores_.of(frame.sample), frame_); !scored) return scored.error();
    if (span_ <= 0) return Labelled{frame_.score, frame_.probability};
    rule_.presence().smooth(shot_, frame.time, span_, frame_);
    return Labelled{frame_.smoothed, frame_.smoothed, frame_.cut};
  }

 private:
  PresenceRule rule_;
  AnchorScores scores_;
  decide::ShotMean shot_;
  decide::PresenceFrame frame_;
  const double span_;
};

using FrameTicks = std::function<void(std::size_t)>;

// The common parts of all lines.
struct Show {
  Stream& stream;
  const Truth& truth;
  std::span<const Shot> shots;
  const DwellSettings& dwell;
};

struct Deciding {
  decide::DecisionSettings plain, hysteresis;
};

// All figures except the last column.
Result<std::vector<double>> run_labeller(const Show& show, Labeller& labeller, const Deciding& deciding,
                                         const FrameTicks& ticks) {
  constexpr std::size_t kTick = 256;
  const std::size_t labels = show.stream.labels(), frames = frames_of(show.shots);
  Viewer viewer(deciding.plain, show.dwell.frame_rate), calm_viewer(deciding.hysteresis, show.dwell.frame_rate);
  RankedShots by_frame(frames, labels), by_shot(show.shots.size(), labels);
  ShotMean shot_mean(labels);
  DwellStream video(show.stream, show.shots, show.dwell);
  for (std::size_t i = 0; i < frames; ++i) {
    const Result<const DwellStream::Frame*> frame = video.next();
    if (!frame) return frame.error();
    const Result<Labelled> seen = labeller.see(**frame);
    if (!seen) return seen.error();
    const Shot& shot = show.shots[(*frame)->shot];
    const std::span<const std::int8_t> is_true(&show.truth.values[shot.picture * labels], labels);
    for (Viewer* each : {&viewer, &calm_viewer}) {
      if (seen->cut) each->cut();
      each->see((*frame)->number == 0, seen->probability, is_true);
    }
    by_frame.add(shot.picture, seen->logits, seen->probability);
    shot_mean.add(seen->logits, seen->probability);
    if ((*frame)->number + 1 == shot.frames) shot_mean.finish(shot.picture, by_shot);
    if (i % kTick == 0) ticks(i);
  }
  const Impression seen = viewer.impression(), seen_calm = calm_viewer.impression();
  return std::vector<double>{mean_average_precision(by_frame.logits, by_frame.pictures, show.truth),
                             mean_average_precision(by_frame.softmax, by_frame.pictures, show.truth),
                             mean_average_precision(by_shot.logits, by_shot.pictures, show.truth),
                             mean_average_precision(by_shot.softmax, by_shot.pictures, show.truth),
                             seen.flicker,
                             seen_calm.flicker,
                             seen.first_label,
                             seen.never_named,
                             seen.f1};
}

Result<Line> run_method(const Show& show, const Method& method, const VideoSettings& settings,
                        const FrameTicks& ticks) {
  Result<std::unique_ptr<Adapter>> adapter = Adapter::make(method, show.stream.text());
  if (!adapter) return adapter.error();
  MethodLabeller labeller(std::move(*adapter));
  Deciding deciding{settings.decision, settings.decision};
  deciding.hysteresis.threshold_off = settings.threshold_off;
  Result<std::vector<double>> figures = run_labeller(show, labeller, deciding, ticks);
  if (!figures) return figures.error();
  const bool learns = method.kind != MethodKind::kNone;
  figures->push_back(learns ? 100 * static_cast<double>(labeller.learnt()) / static_cast<double>(frames_of(show.shots))
                            : kNone);
  return Line{method.key, std::move(*figures)};
}

// `is_averaged`: as the element shows it, always with hysteresis.
Result<Line> run_presence(const Show& show, const VideoPresence& presence, bool is_averaged,
                          const VideoSettings& settings, const FrameTicks& ticks) {
  PresenceLabeller labeller(presence, show.stream, is_averaged ? settings.presence_span : 0);
  Deciding deciding{settings.presence_decision, settings.presence_decision};
  if (!is_averaged) deciding.plain.threshold_off.reset();
  Result<std::vector<double>> figures = run_labeller(show, labeller, deciding, ticks);
  if (!figures) return figures.error();
  (*figures)[0] = (*figures)[2] = kNone;  // by logits: presence has no logits
  figures->push_back(kNone);
  return Line{is_averaged ? "presence" : "presence_frame", std::move(*figures)};
}

// "1000 shots of 1 to 300 frames, ...".
std::string note(std::span<const Shot> shots, const Stream& stream, const VideoSettings& settings) {
  const DwellSettings& dwell = settings.dwell;
  const double minutes = static_cast<double>(frames_of(shots)) / dwell.frame_rate / 60;
  std::ostringstream text;
  text.precision(3);
  text << "A video made from pictures: " << shots.size() << " shots of 1 to " << dwell.longest << " frames, "
       << frames_of(shots) << " frames or " << minutes << " minutes at " << dwell.frame_rate
       << " frames per second, seed " << dwell.seed << ". Labels are shown from " << settings.decision.threshold
       << " on; with hysteresis, down to " << settings.threshold_off << ".";
  if (!stream.has_embeddings())
    text << " There are no embeddings: logits are changed instead, and the novelty gate lets every frame through.";
  return text.str();
}

std::string presence_note(const VideoSettings& settings) {
  std::ostringstream text;
  text << " presence: the mean of a shot's last " << settings.presence_span << " s, shown from "
       << settings.presence_decision.threshold << " on, down to "
       << settings.presence_decision.threshold_off.value_or(0) << "; presence_frame: each frame by itself.";
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
                             const VideoSettings& settings, const Progress& progress, const VideoPresence* presence) {
  const std::vector<Shot> shots = draw_shots(stream.samples(), settings.dwell);
  Table table{.key = "video",
              .title = "Video: shots with dwell",
              .line_key = "method",
              .line_title = "method",
              .columns = columns(),
              .lines = {},
              .note = note(shots, stream, settings)};
  const bool with_presence = presence && PresenceRule(presence->names, presence->settings).can_decide();
  if (with_presence) table.note += presence_note(settings);
  const Show show{stream, truth, shots, settings.dwell};
  const double frames = static_cast<double>(frames_of(shots)),
               lines = static_cast<double>(methods.size() + (with_presence ? 2 : 0));
  const auto ticks_of = [&](const std::string& key) {
    return [&, key](std::size_t frame) {
      const double done = static_cast<double>(table.lines.size()) + static_cast<double>(frame) / frames;
      if (progress) progress(done / lines, "video, " + key);
    };
  };
  const auto add = [&](std::span<const Method> some) -> Status {
    for (const Method& method : some) {
      Result<Line> line = run_method(show, method, settings, ticks_of(method.key));
      if (!line) return line.error();
      table.lines.push_back(std::move(*line));
    }
    return ok();
  };
  const std::size_t before = with_presence ? std::min(presence->after, methods.size()) : methods.size();
  if (const Status added = add(methods.first(before)); !added) return added.error();
  if (with_presence) {
    for (const bool is_averaged : {true, false}) {
      Result<Line> line = run_presence(show, *presence, is_averaged, settings, ticks_of("presence"));
      if (!line) return line.error();
      table.lines.push_back(std::move(*line));
    }
  }
  if (const Status added = add(methods.subspan(before)); !added) return added.error();
  return table;
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace bcp::cli::report {
namespace {

constexpr std::size_t kMaxResultsPerStep = std::numeric_limits<std::uint16_t>::max();

// A mean of floats; NaN values are ignored.
struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(float value) {
    if (std::isnan(value)) return;
    sum += value;
    ++count;
  }
  float value() const {
    return count == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / static_cast<double>(count));
  }
};

// Adds results up to one step. Its tallies are as long as the list of labels, and only the touched ones are cleared.
class Adder {
 public:
  explicit Adder(std::size_t labels) : tallies_(labels) {}

  void add(const Stream& stream, const Moment& moment) {
    if (step_.results == 0) {
      step_.time = moment.time;
      step_.pts = moment.pts;
    }
    ++step_.results;
    step_.until = moment.until;
    step_.samples = moment.samples;
    step_.threshold = moment.threshold;
    if (moment.anchor >= 0) {
      ++step_.anchored;
      anchors_[moment.anchor].add(moment.anchor_probability);
    }
    if (moment.context >= 0) {
      ++step_.explained;
      contexts_[moment.context].add(moment.context_weight);
    }
    bool is_changed = false;
    for (std::size_t i = moment.first; i < moment.first + moment.count; ++i) {
      const Score& score = stream.scores[i];
      is_changed = is_changed || score.shown != score.plain_shown;
      Tally& tally = tallies_[score.label];
      if (!tally.is_used) touched_.push_back(score.label);
      tally.is_used = true;
      Cell& cell = tally.cell;
      cell.kept = static_cast<std::uint16_t>(cell.kept + (score.shown && score.plain_shown));
      cell.added = static_cast<std::uint16_t>(cell.added + score.added());
      cell.removed = static_cast<std::uint16_t>(cell.removed + score.removed());
      tally.probability.add(score.probability);
      tally.plain_probability.add(score.plain_probability);
      tally.correction.add(score.correction);
      tally.prior.add(score.prior);
      tally.evidence.add(score.evidence);
    }
    step_.changed = static_cast<std::uint16_t>(step_.changed + is_changed);
  }

  std::size_t results() const { return step_.results; }

  void finish(Timeline& timeline) {
    if (step_.results == 0) return;
    std::tie(step_.anchor, step_.anchor_probability) = most_frequent(anchors_);
    std::tie(step_.context, step_.context_weight) = most_frequent(contexts_);
    step_.first = timeline.cells.size();
    step_.count = touched_.size();
    std::sort(touched_.begin(), touched_.end());
    for (const std::uint16_t label : touched_) {
      Tally& tally = tallies_[label];
      tally.cell.label = label;
      tally.cell.probability = tally.probability.value();
      tally.cell.plain_probability = tally.plain_probability.value();
      tally.cell.correction = tally.correction.value();
      tally.cell.prior = tally.prior.value();
      tally.cell.evidence = tally.evidence.value();
      timeline.cells.push_back(tally.cell);
      tally = {};
    }
    timeline.most_results = std::max<std::size_t>(timeline.most_results, step_.results);
    timeline.steps.push_back(step_);
    step_ = {};
    touched_.clear();
    anchors_.clear();
    contexts_.clear();
  }

 private:
  struct Tally {
    Cell cell;
    Mean probability, plain_probability, correction, prior, evidence;
    bool is_used = false;
  };
  struct Share {
    int count = 0;
    Mean probability;
    void add(float value) {
      ++count;
      probability.add(value);
    }
  };
  using Shares = std::map<int, Share>;

  // And its mean share; -1 of none.
  static std::pair<int, float> most_frequent(const Shares& shares) {
    std::pair<int, float> found{-1, 0.0f};
    int most = 0;
    for (const auto& [which, share] : shares) {
      if (share.count <= most) continue;
      most = share.count;
      found = {which, share.probability.value()};
    }
    return found;
  }

  Step step_;
  std::vector<Tally> tallies_;
  std::vector<std::uint16_t> touched_;
  Shares anchors_, contexts_;
};

// Each result a step of its own, or (`width` > 0) the results of each stretch of `width` seconds one step.
Timeline add_up(const Stream& stream, std::size_t labels, double width) {
  Timeline timeline;
  Adder adder(labels);
  double stretch = -1;
  for (const Moment& moment : stream.moments) {
    const double now = width > 0 ? std::floor((moment.time - stream.moments.front().time) / width) : 0;
    if (width <= 0 || now != stretch || !moment.continues || adder.results() == kMaxResultsPerStep)
      adder.finish(timeline);
    stretch = now;
    adder.add(stream, moment);
  }
  adder.finish(timeline);
  return timeline;
}

}  // namespace

Timeline make_timeline(const Stream& stream, std::size_t labels, const TimelineLimits& limits) {
  if (stream.moments.size() <= limits.steps && stream.scores.size() <= limits.cells) return add_up(stream, labels, 0);
  constexpr std::size_t kFewestSteps = 100;
  const double duration = stream.moments.back().until - stream.moments.front().time;
  std::size_t steps = limits.steps;
  Timeline timeline = add_up(stream, labels, duration / static_cast<double>(steps));
  while (timeline.cells.size() > limits.cells && steps > kFewestSteps) {
    steps = std::max(kFewestSteps, steps * 2 / 3);
    timeline = add_up(stream, labels, duration / static_cast<double>(steps));
  }
  return timeline;
}

}  // namespace bcp::cli::report

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

namespace bcp::cli::report {
namespace {

constexpr std::size_t kMaxExamples = 6, kMaxCauses = 3;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

struct CauseTally {
  std::size_t count = 0, known = 0;
  double correction = 0;
  void add(float value) {
    ++count;
    if (std::isnan(value)) return;
    ++known;
    correction += value;
  }
  double mean() const {
    return known == 0 ? std::numeric_limits<double>::quiet_NaN() : correction / static_cast<double>(known);
  }
};

using Causes = std::map<int, CauseTally>;

// A number's most frequent value, and how often it was.
std::pair<int, std::size_t> most_frequent(const std::map<int, std::size_t>& counts) {
  std::pair<int, std::size_t> most{-1, 0};
  for (const auto& [value, count] : counts)
    if (count > most.second) most = {value, count};
  return most;
}

struct ReasonsTally {
  std::size_t count = 0;
  double probability = 0, prior = 0, evidence = 0;
  std::map<int, std::size_t> contexts;

  void add(const Score& score, int context) {
    if (std::isnan(score.prior) || std::isnan(score.evidence) || std::isnan(score.probability)) return;
    ++count;
    probability += score.probability;
    prior += score.prior;
    evidence += score.evidence;
    if (context >= 0) ++contexts[context];
  }
  Reasons means() const {
    if (count == 0) return {};
    const auto n = static_cast<double>(count);
    const auto [context, times] = most_frequent(contexts);
    return {count, probability / n, prior / n, evidence / n, context, times};
  }
};

// Statistics about one label, collected over the stream.
struct Tally {
  LabelChange change;
  Causes added_by, removed_by;
  ReasonsTally added_why, removed_why;
  CauseTally all, prior, evidence;
  std::vector<Example> changed;
  std::size_t last_shown = kNever, last_plain_shown = kNever;  // the latest result that shows it
  std::size_t shown_since = kNever;                            // the first of those in a row up to last_shown
  std::size_t last_kept = kNever;                              // the latest in which both show it
  std::vector<Example> removed;                                // since then; the label may come back soon
};

std::vector<Cause> most_frequent(const Causes& causes) {
  std::vector<Cause> sorted;
  for (const auto& [anchor, tally] : causes) sorted.push_back({anchor, tally.count, tally.mean()});
  std::stable_sort(sorted.begin(), sorted.end(), [](const Cause& a, const Cause& b) { return a.count > b.count; });
  if (sorted.size() > kMaxCauses) sorted.resize(kMaxCauses);
  return sorted;
}

float size_of(const Score& score) {
  const float change = std::abs(score.probability - score.plain_probability);
  return std::isnan(change) ? 0 : change;
}

// The largest changes, apart in time; half of each kind, if there are both.
std::vector<Example> most_important(std::vector<Example> candidates, const Stream& stream) {
  const double apart = (stream.moments.back().until - stream.moments.front().time) / 50;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Example& a, const Example& b) { return size_of(a.score) > size_of(b.score); });
  std::vector<Example> chosen;
  const auto is_near = [&](const Example& candidate) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Example& other) {
      return std::abs(stream.moments[other.moment].time - stream.moments[candidate.moment].time) < apart;
    });
  };
  const auto choose = [&](std::size_t most, const auto& is_wanted) {
    for (const Example& candidate : candidates)
      if (chosen.size() < most && is_wanted(candidate) && !is_near(candidate)) chosen.push_back(candidate);
  };
  choose(kMaxExamples / 2, [](const Example& each) { return each.score.added(); });
  choose(chosen.size() + kMaxExamples / 2, [](const Example& each) { return each.score.removed(); });
  choose(kMaxExamples, [](const Example&) { return true; });
  std::sort(chosen.begin(), chosen.end(), [](const Example& a, const Example& b) { return a.moment < b.moment; });
  return chosen;
}

class Finder {
 public:
  Finder(const Stream& stream, std::size_t labels) : stream_(stream), tallies_(labels) {}

  Changes run() {
    for (std::size_t i = 0; i < stream_.moments.size(); ++i) take(i);
    for (std::size_t label = 0; label < tallies_.size(); ++label) finish(static_cast<std::uint16_t>(label));
    std::stable_sort(changes_.labels.begin(), changes_.labels.end(), [](const LabelChange& a, const LabelChange& b) {
      return std::max(a.seconds, a.plain_seconds) > std::max(b.seconds, b.plain_seconds);
    });
    changes_.context = most_frequent(contexts_).first;
    return std::move(changes_);
  }

 private:
  std::span<const Score> scores_of(std::size_t i) const {
    const Moment& moment = stream_.moments[i];
    return {stream_.scores.data() + moment.first, moment.count};
  }

  void take(std::size_t i) {
    const Moment& moment = stream_.moments[i];
    if (!moment.continues) piece_ = i;
    bool is_changed = false, is_shown = false, was_shown = false, is_corrected = false;
    for (const Score& score : scores_of(i)) {
      count(score, i);
      is_changed = is_changed || score.shown != score.plain_shown;
      is_shown = is_shown || score.shown;
      was_shown = was_shown || score.plain_shown;
      is_corrected = is_corrected || (!std::isnan(score.correction) && score.correction != 0);
    }
    if (moment.continues) {
      count_switches_off(i);
      count_flashes(i);
    }
    changes_.changed += is_changed;
    changes_.emptied += was_shown && !is_shown;
    changes_.unsettled += is_changed && moment.samples < kFewSamples;
    changes_.anchored += moment.anchor >= 0;
    changes_.unanchored += moment.anchor < 0 && is_corrected;
    changes_.presence += moment.presence;
    changes_.uncalibrated += moment.presence && !moment.calibrated;
    changes_.explained += moment.context >= 0;
    if (moment.context >= 0) ++contexts_[moment.context];
    changes_.watched += moment.until - moment.time;
  }

  void count(const Score& score, std::size_t i) {
    const Moment& moment = stream_.moments[i];
    Tally& tally = tallies_[score.label];
    LabelChange& change = tally.change;
    const double seconds = moment.until - moment.time;
    if (score.shown) {
      // At the start and after a gap, a shown label does not count as switched on.
      const bool stays_on = moment.continues && tally.last_shown == i - 1;
      if (moment.continues && !stays_on) ++change.switches;
      if (!stays_on) tally.shown_since = i;
      tally.last_shown = i;
      change.seconds += seconds;
    }
    if (score.plain_shown) {
      if (moment.continues && tally.last_plain_shown != i - 1) ++change.plain_switches;
      tally.last_plain_shown = i;
      change.plain_seconds += seconds;
    }
    change.kept += score.shown && score.plain_shown;
    if (score.plain_shown) count_torn(score, i);
    if (!score.added() && !score.removed()) return;
    change.added += score.added();
    change.removed += score.removed();
    change.sure_removed += score.removed() && score.plain_probability >= kSure;
    (score.added() ? tally.added_by : tally.removed_by)[moment.anchor].add(score.correction);
    (score.added() ? tally.added_why : tally.removed_why).add(score, moment.context);
    tally.all.add(score.correction);
    tally.prior.add(score.prior);
    tally.evidence.add(score.evidence);
    tally.changed.push_back({i, score});
  }

  void count_switches_off(std::size_t i) {
    for (const Score& before : scores_of(i - 1)) {
      Tally& tally = tallies_[before.label];
      tally.change.switches += before.shown && tally.last_shown != i;
      tally.change.plain_switches += before.plain_shown && tally.last_plain_shown != i;
    }
  }

  // Whether two results have no gap between them, and are near.
  bool is_near(std::size_t earlier, std::size_t later) const {
    return earlier != kNever && earlier >= piece_ &&
           stream_.moments[later].time - stream_.moments[earlier].time <= kNear;
  }

  // REQUIRES: plain CLIP shows it.
  void count_torn(const Score& score, std::size_t i) {
    Tally& tally = tallies_[score.label];
    if (score.shown) {
      for (const Example& each : tally.removed)
        if (is_near(each.moment, i)) tally.change.torn.add(each.moment, each.score.plain_probability);
      tally.removed.clear();
      tally.last_kept = i;
    } else if (is_near(tally.last_kept, i)) {
      tally.change.torn.add(i, score.plain_probability);
    } else {
      if (!tally.removed.empty() && !is_near(tally.removed.back().moment, i)) tally.removed.clear();
      tally.removed.push_back({i, score});
    }
  }

  // REQUIRES: result i continues the one before, which may be a flash.
  void count_flashes(std::size_t i) {
    if (!stream_.moments[i - 1].continues || !is_near(i - 2, i - 1) || !is_near(i - 1, i)) return;
    for (const Score& score : scores_of(i - 1)) {
      Tally& tally = tallies_[score.label];
      if (score.added() && tally.last_shown != i && tally.shown_since == i - 1)
        tally.change.flashed.add(i - 1, score.probability);
    }
  }

  void finish(std::uint16_t label) {
    Tally& tally = tallies_[label];
    LabelChange& change = tally.change;
    if (change.kept + change.added + change.removed == 0) return;
    changes_.switches += change.switches;
    changes_.plain_switches += change.plain_switches;
    change.label = label;
    change.correction = tally.all.mean();
    change.added_by = most_frequent(tally.added_by);
    change.removed_by = most_frequent(tally.removed_by);
    change.added_why = tally.added_why.means();
    change.removed_why = tally.removed_why.means();
    change.prior = tally.prior.mean();
    change.evidence = tally.evidence.mean();
    change.examples = most_important(std::move(tally.changed), stream_);
    changes_.labels.push_back(std::move(change));
  }

  const Stream& stream_;
  std::vector<Tally> tallies_;
  std::map<int, std::size_t> contexts_;
  std::size_t piece_ = 0;  // the first result after the latest gap
  Changes changes_;
};

}  // namespace

void Oddity::add(std::size_t at, float value) {
  if (count++ > 0 && !(value > probability)) return;
  moment = at;
  probability = value;
}

Changes find_changes(const Stream& stream, std::size_t labels) {
  return Finder(stream, labels).run();
}

}  // namespace bcp::cli::report

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/decision.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

#include "adapt/softmax.hpp"
#include "base/number_text.hpp"
#include "eval/average_precision.hpp"
#include "eval/random.hpp"
#include "eval/run.hpp"

namespace bcp::eval {
namespace {

constexpr double kPresence = 0.5, kShowMore = 0.35, kSoftmax = 0.2;
constexpr std::size_t kFirstFrames = 100, kFirstOrders = 20;
constexpr std::size_t kTriples = 200, kAskedFor = 3;
constexpr std::size_t kTick = 64;  // samples

// 1 for each label that is shown. Rows are samples in file order.
class Shown {
 public:
  Shown(std::size_t samples, std::size_t labels) : labels_(labels), values_(samples * labels) {}
  bool at(std::size_t sample, std::size_t label) const { return values_[sample * labels_ + label] != 0; }
  void set(std::size_t sample, std::size_t label, bool shown) { values_[sample * labels_ + label] = shown; }

 private:
  std::size_t labels_;
  std::vector<std::uint8_t> values_;
};

// Counts shown labels against the ground truth.
struct Tally {
  std::size_t hits = 0, wrong = 0, missed = 0;

  void add(bool shown, std::int8_t truth) {
    if (truth < 0) return;
    hits += shown && truth == 1;
    wrong += shown && truth == 0;
    missed += !shown && truth == 1;
  }
  double precision() const { return percent(hits, hits + wrong); }
  double recall() const { return percent(hits, hits + missed); }
  double f1() const { return percent(2 * hits, 2 * hits + wrong + missed); }
  static double percent(std::size_t part, std::size_t whole) {
    return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : kNone;
  }
};

// Probabilities of every sample for every label, in the order of computation.
struct Probabilities {
  const ScoreArray& values;
  const Order& order;
};

// Rows in file order.
Shown from(const Probabilities& probabilities, const std::vector<double>& thresholds) {
  Shown shown(probabilities.order.size(), thresholds.size());
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    const std::span<const double> column = probabilities.values.of_label(k);
    for (std::size_t i = 0; i < column.size(); ++i) shown.set(probabilities.order[i], k, column[i] >= thresholds[k]);
  }
  return shown;
}

Shown likeliest(const Run& run, const Order& order, std::size_t labels) {
  Shown shown(order.size(), labels);
  for (std::size_t i = 0; i < order.size(); ++i) shown.set(order[i], run.likeliest[i], true);
  return shown;
}

std::vector<Judged> pairs_of(const Probabilities& probabilities, const Truth& truth, std::size_t label) {
  std::vector<Judged> pairs;
  const std::span<const double> column = probabilities.values.of_label(label);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (const std::int8_t is = truth.at(probabilities.order[i], label); is >= 0) pairs.push_back({column[i], is == 1});
  return pairs;
}

double best_for_all(const Probabilities& probabilities, const Truth& truth) {
  std::vector<Judged> pairs;
  for (std::size_t k = 0; k < truth.labels; ++k) {
    const std::vector<Judged> of_label = pairs_of(probabilities, truth, k);
    pairs.insert(pairs.end(), of_label.begin(), of_label.end());
  }
  return best_threshold(std::move(pairs));
}

std::vector<double> best_for_each(const Probabilities& probabilities, const Truth& truth) {
  std::vector<double> thresholds;
  for (std::size_t k = 0; k < truth.labels; ++k)
    thresholds.push_back(best_threshold(pairs_of(probabilities, truth, k)));
  return thresholds;
}

Reliability reliability_of(const Probabilities& probabilities, const Truth& truth, double least) {
  Reliability reliability;
  for (std::size_t k = 0; k < truth.labels; ++k)
    for (const Judged& pair : pairs_of(probabilities, truth, k))
      if (pair.score >= least) reliability.add(pair.score, pair.present);
  return reliability;
}

double map_of(const Probabilities& probabilities, const Truth& truth) {
  std::vector<std::int8_t> column(probabilities.order.size());
  std::vector<double> all(truth.labels);
  for (std::size_t k = 0; k < truth.labels; ++k) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = truth.at(probabilities.order[i], k);
    all[k] = average_precision(probabilities.values.of_label(k), column);
  }
  return 100 * mean(all);
}

// The mean over labels with a positive. A label that is never shown has an F1 of 0.
double macro_f1(const std::vector<Tally>& tallies) {
  std::vector<double> all;
  for (const Tally& tally : tallies)
    if (tally.hits + tally.missed > 0) all.push_back(tally.f1());
  return mean(all);
}

struct Quality {
  double ece, ece_all, map;
};

Quality quality_of(const Probabilities& probabilities, const Truth& truth) {
  return {reliability_of(probabilities, truth, kLeastJudged).error(), reliability_of(probabilities, truth, 0).error(),
          map_of(probabilities, truth)};
}

const std::vector<Column>& decision_columns() {
  static const std::vector<Column> all = {
      {"micro_f1", "micro F1"}, {"macro_f1", "macro F1"}, {"precision", "precision"},
      {"recall", "recall"},     {"shown", "shown"},       {"true", "true"},
      {"ece", "ECE"},           {"ece_all", "ECE, all"},  {"map", "mAP"},
      {"threshold", "from", 3},
  };
  return all;
}

Line decision_line(const std::string& rule, const Shown& shown, const Truth& truth, const Quality& quality,
                   double threshold) {
  std::vector<Tally> by_label(truth.labels);
  Tally all;
  for (std::size_t t = 0; t < truth.samples; ++t) {
    for (std::size_t k = 0; k < truth.labels; ++k) {
      by_label[k].add(shown.at(t, k), truth.at(t, k));
      all.add(shown.at(t, k), truth.at(t, k));
    }
  }
  const auto per_picture = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(truth.samples);
  };
  return {rule,
          {all.f1(), macro_f1(by_label), all.precision(), all.recall(), per_picture(all.hits + all.wrong),
           per_picture(all.hits + all.missed), quality.ece, quality.ece_all, quality.map, threshold}};
}

Table reliability_table(const Reliability& presence, const Reliability& softmax) {
  Table table{
      .key = "reliability",
      .title = "Reliability: how often a label is present, by its probability",
      .line_key = "bin",
      .line_title = "probability",
      .columns = {},
      .lines = {},
      .note = "Mean probability and share of present labels in each bin, in percent. Calibrated: both are equal."};
  for (const char* rule : {"presence", "softmax"}) {
    const std::string key = rule;
    table.columns.push_back({key + ".pairs", key + ", pairs", 0});
    table.columns.push_back({key + ".mean", "mean", 1});
    table.columns.push_back({key + ".true", "true", 1});
  }
  for (std::size_t b = 0; b < kBins; ++b) {
    const double width = 1.0 / kBins;
    Line line{number_text("%.2f", static_cast<double>(b) * width) + "-" +
                  number_text("%.2f", static_cast<double>(b + 1) * width),
              {}};
    for (const Reliability* each : {&presence, &softmax}) {
      const Bin& bin = each->bins()[b];
      const auto pairs = static_cast<double>(bin.pairs);
      line.numbers.push_back(pairs);
      line.numbers.push_back(bin.pairs > 0 ? 100 * bin.probability / pairs : kNone);
      line.numbers.push_back(bin.pairs > 0 ? 100 * bin.present / pairs : kNone);
    }
    table.lines.push_back(std::move(line));
  }
  return table;
}

double f1_of(const Shown& shown, const Truth& truth, std::span<const std::uint32_t> samples) {
  Tally tally;
  for (const std::uint32_t t : samples)
    for (std::size_t k = 0; k < truth.labels; ++k) tally.add(shown.at(t, k), truth.at(t, k));
  return tally.f1();
}

// Presence needs no start-up: the first pictures must be as good as the rest.
Table first_frames_table(const Shown& shown, const Truth& truth, std::uint64_t seed) {
  std::vector<double> all;
  const std::size_t count = std::min(kFirstFrames, truth.samples);
  for (std::uint64_t i = 0; i < kFirstOrders; ++i) {
    const Order order = shuffled_order(truth.samples, seed + i);
    const double f1 = f1_of(shown, truth, std::span(order).first(count));
    if (std::isfinite(f1)) all.push_back(f1);
  }
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const double whole = f1_of(shown, truth, file_order(truth.samples));
  return {.key = "first_frames",
          .title = "Presence on the first " + std::to_string(count) + " pictures",
          .line_key = "part",
          .line_title = "orders",
          .columns = {{"micro_f1", "micro F1"}},
          .lines = {{"mean", {mean(all)}},
                    {"lowest", {all.empty() ? kNone : *low}},
                    {"highest", {all.empty() ? kNone : *high}},
                    {"whole", {whole}}},
          .note = "Over " + std::to_string(kFirstOrders) + " shuffled orders, seeds " + std::to_string(seed) + " to " +
                  std::to_string(seed + kFirstOrders - 1) + "; whole: all pictures."};
}

Result<ScoreArray> presence_of(Stream& stream, const DecisionRequest& request, PresenceRule& rule, const Ticks& ticks) {
  ScoreArray probabilities(stream.samples(), stream.labels());
  AnchorScores scores(request.presence, stream);
  decide::PresenceFrame frame;
  for (std::size_t t = 0; t < stream.samples(); ++t) {
    const Result<Sample> sample = stream.sample(t);
    if (!sample) return sample.error();
    if (const Status scored = rule.score(scores.of(*sample), frame); !scored) return scored.error();
    probabilities.set_row(t, frame.probability);
    if (ticks && t % kTick == 0) ticks(t);
  }
  return probabilities;
}

std::string decision_note(const PresenceRule& rule, const DecisionRequest& request) {
  std::string note =
      "presence: threshold 0.5; presence_035: threshold 0.35, shows more; softmax: plain CLIP, threshold 0.2; ";
  if (request.bcp) note += "bcp: " + request.bcp->title + ", threshold 0.2, in the order of the stream; ";
  note +=
      "arg_max: the most probable label; best_threshold: softmax with the best threshold for these pictures; "
      "oracle: the same for each label. The last two are fitted to the ground truth they are measured with: "
      "limits, not rules. shown, true: labels per picture. "
      "ECE: over probabilities of 0.1 or more.";
  if (const std::string few = anchors_note(rule.anchors()); !few.empty()) note += " " + few;
  return note;
}

// A user with these labels only.
struct Asker {
  std::vector<std::size_t> labels;
  PresenceRule presence;
};

struct FewTally {
  Tally labels;
  std::size_t empty = 0, alarms = 0;  // pictures without any of the labels; those of them that show one

  // `shown` and `truth` of these labels.
  void add(std::span<const std::uint8_t> shown, std::span<const std::int8_t> truth) {
    const bool none = std::all_of(truth.begin(), truth.end(), [](std::int8_t is) { return is == 0; });
    empty += none;
    alarms += none && std::find(shown.begin(), shown.end(), 1) != shown.end();
    for (std::size_t i = 0; i < shown.size(); ++i) labels.add(shown[i] != 0, truth[i]);
  }
  Line line(const std::string& rule) const {
    return {rule, {Tally::percent(alarms, empty), labels.recall(), labels.precision(), labels.f1()}};
  }
};

// Reports the progress of one run among several.
Ticks ticks_of(const Progress& progress, const std::string& what, double from, double share, std::size_t samples) {
  if (!progress) return {};
  return [=](std::size_t done) {
    progress(from + share * static_cast<double>(done) / static_cast<double>(samples), what);
  };
}

}  // namespace

void Reliability::add(double probability, bool present) {
  const auto at = static_cast<std::size_t>(std::clamp(probability, 0.0, 1.0) * kBins);
  Bin& bin = bins_[std::min(at, kBins - 1)];
  ++bin.pairs;
  bin.probability += probability;
  bin.present += present ? 1 : 0;
}

double Reliability::error() const {
  double distance = 0;
  std::size_t pairs = 0;
  for (const Bin& bin : bins_) {
    distance += std::abs(bin.probability - bin.present);
    pairs += bin.pairs;
  }
  return pairs > 0 ? 100 * distance / static_cast<double>(pairs) : kNone;
}

double best_threshold(std::vector<Judged> pairs) {
  const auto present = static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [](const Judged& pair) { return pair.present; }));
  std::sort(pairs.begin(), pairs.end(), [](const Judged& x, const Judged& y) { return x.score > y.score; });
  double best = std::numeric_limits<double>::infinity(), best_f1 = 0;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    hits += pairs[i].present;
    if (i + 1 < pairs.size() && pairs[i + 1].score == pairs[i].score)
      continue;  // equal scores are above or below a threshold together
    const double f1 = 2 * static_cast<double>(hits) / static_cast<double>(i + 1 + present);
    if (f1 <= best_f1) continue;
    best_f1 = f1;
    best = pairs[i].score;
  }
  return best;
}

Result<DecisionTables> decision_protocol(Stream& stream, const Truth& truth, const DecisionRequest& request,
                                         const Progress& progress) {
  const std::size_t labels = truth.labels;
  const Order as_in_file = file_order(truth.samples);
  const auto ticks = [&](const char* what, double from) {
    return ticks_of(progress, std::string("decision, ") + what, from, 1.0 / 3, truth.samples);
  };
  PresenceRule rule(request.names, request.presence);
  const Result<ScoreArray> presence = presence_of(stream, request, rule, ticks("presence", 0));
  if (!presence) return presence.error();
  const Method plain{"zero_shot", "plain CLIP", MethodKind::kNone};
  const Result<Run> softmax = run_method(stream, as_in_file, plain, ticks("softmax", 1.0 / 3));
  if (!softmax) return softmax.error();

  const Probabilities of_presence{*presence, as_in_file}, of_softmax{softmax->softmax, as_in_file};
  const Quality presence_quality = quality_of(of_presence, truth), softmax_quality = quality_of(of_softmax, truth);
  const auto same = [&](double threshold) { return std::vector<double>(labels, threshold); };
  const auto presence_from = [&](double threshold) {
    return rule.can_decide() ? from(of_presence, same(threshold)) : Shown(truth.samples, labels);
  };
  const Shown by_presence = presence_from(kPresence);

  DecisionTables tables;
  tables.decision = {.key = "decision",
                     .title = "Decision: the labels that are shown",
                     .line_key = "rule",
                     .line_title = "rule",
                     .columns = decision_columns(),
                     .lines = {},
                     .note = decision_note(rule, request),
                     .by_name = true};
  std::vector<Line>& lines = tables.decision.lines;
  lines.push_back(decision_line("presence", by_presence, truth, presence_quality, kPresence));
  lines.push_back(decision_line("presence_035", presence_from(kShowMore), truth, presence_quality, kShowMore));
  lines.push_back(decision_line("softmax", from(of_softmax, same(kSoftmax)), truth, softmax_quality, kSoftmax));
  if (request.bcp) {
    const Result<Run> bcp = run_method(stream, request.order, *request.bcp, ticks("BCP", 2.0 / 3));
    if (!bcp) return bcp.error();
    const Probabilities of_bcp{bcp->softmax, request.order};
    lines.push_back(decision_line("bcp", from(of_bcp, same(kSoftmax)), truth, quality_of(of_bcp, truth), kSoftmax));
  }
  lines.push_back(decision_line("arg_max", likeliest(*softmax, as_in_file, labels), truth, softmax_quality, kNone));
  const double best = best_for_all(of_softmax, truth);
  lines.push_back(decision_line("best_threshold", from(of_softmax, same(best)), truth, softmax_quality, best));
  lines.push_back(
      decision_line("oracle", from(of_softmax, best_for_each(of_softmax, truth)), truth, softmax_quality, kNone));
  tables.reliability = reliability_table(reliability_of(of_presence, truth, 0), reliability_of(of_softmax, truth, 0));
  tables.first_frames = first_frames_table(by_presence, truth, request.seed);
  return tables;
}

std::vector<std::vector<std::size_t>> draw_triples(std::size_t labels, std::size_t triples, std::uint64_t seed) {
  const std::size_t size = std::min(labels, kAskedFor);
  std::vector<std::size_t> deck(labels);
  std::iota(deck.begin(), deck.end(), std::size_t{0});
  Random random(seed);
  std::vector<std::vector<std::size_t>> drawn;
  std::size_t next = labels;  // all labels of the deck were dealt
  std::vector<std::size_t> hand;
  while (drawn.size() < triples) {
    if (next == labels) {
      random.shuffle(deck);
      // Labels already in the hand must not be drawn again: they go to the end of the deck.
      std::stable_partition(deck.begin(), deck.end(), [&](std::size_t label) {
        return std::find(hand.begin(), hand.end(), label) == hand.end();
      });
      next = 0;
    }
    hand.push_back(deck[next++]);
    if (hand.size() < size) continue;
    drawn.push_back(std::exchange(hand, {}));
  }
  return drawn;
}

Result<Table> few_labels_protocol(Stream& stream, const Truth& truth, const DecisionRequest& request,
                                  const Progress& progress) {
  std::vector<Asker> askers;
  for (std::vector<std::size_t>& labels : draw_triples(truth.labels, kTriples, request.seed)) {
    PresenceRule rule(request.names, labels, request.presence);
    askers.push_back({std::move(labels), std::move(rule)});
  }
  const std::size_t size = askers[0].labels.size(), anchors = askers[0].presence.anchors();
  const Ticks ticks = ticks_of(progress, "few labels", 0, 1, truth.samples);
  AnchorScores anchor_scores(request.presence, stream);
  decide::PresenceFrame frame;
  FewTally presence, softmax;
  std::vector<std::uint8_t> shown(size);
  std::vector<std::int8_t> is_true(size);
  std::vector<double> logits(size), probability(size);
  for (std::size_t t = 0; t < truth.samples; ++t) {
    const Result<Sample> sample = stream.sample(t);
    if (!sample) return sample.error();
    const std::span<const double> scores = anchor_scores.of(*sample);
    for (Asker& asker : askers) {
      for (std::size_t i = 0; i < size; ++i) is_true[i] = truth.at(t, asker.labels[i]);
      if (const Status scored = asker.presence.score(scores, frame); !scored) return scored.error();
      for (std::size_t i = 0; i < size; ++i)
        shown[i] = asker.presence.can_decide() && frame.probability[i] >= kPresence;
      presence.add(shown, is_true);
      for (std::size_t i = 0; i < size; ++i) logits[i] = scores[asker.labels[i]];
      adapt::softmax(logits, probability);
      for (std::size_t i = 0; i < size; ++i) shown[i] = probability[i] >= kSoftmax;
      softmax.add(shown, is_true);
    }
    if (ticks && t % kTick == 0) ticks(t);
  }
  std::string note =
      std::to_string(kTriples) + " draws of " + std::to_string(size) + " of the " + std::to_string(truth.labels) +
      " labels, each label equally often, seed " + std::to_string(request.seed) +
      "; all draws counted together. False alarm: a picture without these labels shows one. presence: threshold "
      "0.5, with " +
      std::to_string(anchors) + " labels and context words; softmax: over the drawn labels, threshold 0.2.";
  if (const std::string few = anchors_note(anchors); !few.empty()) note += " " + few;
  return Table{
      .key = "few_labels",
      .title = "Few labels: pictures without any of them",
      .line_key = "rule",
      .line_title = "rule",
      .columns = {{"false_alarm", "false alarms, %"}, {"recall", "recall"}, {"precision", "precision"}, {"f1", "F1"}},
      .lines = {presence.line("presence"), softmax.line("softmax")},
      .note = note,
      .by_name = true};
}

}  // namespace bcp::eval

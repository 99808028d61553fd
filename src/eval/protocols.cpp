// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/protocols.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "base/number_text.hpp"
#include "eval/average_precision.hpp"
#include "eval/groups.hpp"
#include "eval/true_cooccurrence.hpp"

namespace bcp::eval {
namespace {

constexpr std::array<double, 5> kConfidences = {0.1, 0.3, 0.5, 0.75, 0.95};
constexpr std::array<double, 3> kGammas = {0.1, 0.01, 0.001};
constexpr int kMostAnchors = 3;
constexpr std::uint64_t kShuffles = 5;

constexpr ProtocolInfo kProtocols[] = {
    {Protocol::kOrderings, "orderings", "five shuffled orders: how much the order matters"},
    {Protocol::kLastHalf, "last-half", "the last half of the stream, after the first was learnt from"},
    {Protocol::kNonIid, "non-iid", "orders in which labels come in bunches"},
    {Protocol::kAnchorConfidence, "anchor-confidence", "BCP with mu from 0.1 to 0.95", true},
    {Protocol::kAnchors, "anchors", "BCP with one, two and three anchors", true},
    {Protocol::kWarmUp, "warm-up", "BCP with and without warm-up", true},
    {Protocol::kLabelCount, "label-count", "pictures with few and with many labels"},
    {Protocol::kFrequency, "frequency", "frequent labels and rare ones: head, medium, tail"},
    {Protocol::kAnchorHit, "anchor-hit", "pictures whose first label is right, and wrong"},
    {Protocol::kTime, "time", "time per picture"},
    {Protocol::kCeiling, "ceiling", "BCP with the true co-occurrence of labels: the largest possible gain", true},
    {Protocol::kDecision, "decision",
     "which labels are shown: presence against thresholds on the softmax; calibration"},
    {Protocol::kFewLabels, "few-labels", "three labels: how often one is shown in a picture without them"},
    {Protocol::kVideo, "video", "a video made from the pictures: near copies, flicker, the effect of each addition"},
};

const char* name_of_ranking(Ranking ranking) {
  return ranking == Ranking::kLogits ? "logits" : "softmax";
}

// Adds two columns for each method.
void add_columns(Table& table, std::span<const Judgement> methods) {
  for (const Judgement& judgement : methods)
    for (const Ranking ranking : kRankings)
      table.columns.push_back({judgement.method.key + "." + name_of_ranking(ranking),
                               judgement.method.title + ", " + name_of_ranking(ranking)});
}

using Figure = std::function<double(const Judgement&, Ranking)>;

void add_figures(Line& line, std::span<const Judgement> methods, const Figure& figure) {
  for (const Judgement& judgement : methods)
    for (const Ranking ranking : kRankings) line.numbers.push_back(figure(judgement, ranking));
}

Figure map_figure(Part part) {
  return [part](const Judgement& judgement, Ranking ranking) { return judgement.map(part, ranking); };
}

Column count_column(const char* key, const char* title) {
  return {key, title, 0};
}

// Runs every method on other orders.
Result<std::vector<Judgement>> judge_all(const Bench& bench, const std::vector<Order>& orders) {
  std::vector<Judgement> all;
  for (const Judgement& method : bench.methods) {
    Result<Judgement> judgement = bench.judge.judge(method.method, orders);
    if (!judgement) return judgement.error();
    all.push_back(std::move(*judgement));
  }
  return all;
}

// The spread of a method's figures: "BCP: 62.93 by logits on average, from 62.81 to 63.06; ...".
std::string spread_of(const Judgement& judgement) {
  std::string text;
  for (const Ranking ranking : kRankings) {
    std::vector<double> each;
    for (const Figures& figures : judgement.by_order) each.push_back(figures.map(Part::kWhole, ranking));
    const auto [least, most] = std::minmax_element(each.begin(), each.end());
    text += (text.empty() ? "" : "; ") + number_text("%.2f", mean(each)) + " by " + name_of_ranking(ranking) +
            ", from " + number_text("%.2f", *least) + " to " + number_text("%.2f", *most);
  }
  return text;
}

void add_order(Table& table, const std::string& name, std::span<const Judgement> methods, std::size_t order) {
  Line line{name, {}};
  add_figures(line, methods, [order](const Judgement& judgement, Ranking ranking) {
    return judgement.by_order[order].map(Part::kWhole, ranking);
  });
  table.lines.push_back(std::move(line));
}

Table empty_orderings(std::span<const Judgement> methods) {
  Table table{"orderings", "mAP by the order of the stream", "order", "order", {}, {}, {}};
  add_columns(table, methods);
  return table;
}

Result<Table> orderings(const Bench& bench) {
  std::vector<Order> shuffles;
  const std::size_t samples = bench.judge.truth().samples;
  for (std::uint64_t i = 0; i < kShuffles; ++i) shuffles.push_back(shuffled_order(samples, bench.seed + i));
  const Result<std::vector<Judgement>> shuffled = judge_all(bench, shuffles);
  if (!shuffled) return shuffled.error();
  Table table = empty_orderings(bench.methods);
  add_order(table, bench.orders[0] == file_order(samples) ? "file" : "given", bench.methods, 0);
  for (std::size_t i = 0; i < kShuffles; ++i) add_order(table, "seed " + std::to_string(bench.seed + i), *shuffled, i);
  const Judgement& last = shuffled->size() > 1 ? (*shuffled)[1] : (*shuffled)[0];
  table.note = last.method.title + " over the shuffled orders: " + spread_of(last) + ".";
  return table;
}

Table last_half(const Bench& bench) {
  Table table{"last_half", "mAP of the last half of the stream", "part", "part", {}, {}, {}};
  table.columns.push_back(count_column("samples", "samples"));
  add_columns(table, bench.methods);
  for (const Part part : {Part::kWhole, Part::kLastHalf}) {
    Line line{part == Part::kWhole ? "whole" : "last half", {static_cast<double>(bench.methods[0].size(part))}};
    add_figures(line, bench.methods, map_figure(part));
    table.lines.push_back(std::move(line));
  }
  return table;
}

Result<Table> non_iid(const Bench& bench) {
  Table table{"non_iid", "mAP where labels come in bunches", "gamma", "gamma", {}, {}, {}};
  add_columns(table, bench.methods);
  for (const double gamma : kGammas) {
    const Order order = dirichlet_order(bench.judge.truth(), gamma, bench.seed);
    const Result<std::vector<Judgement>> judged = judge_all(bench, {order});
    if (!judged) return judged.error();
    Line line{number_text("%g", gamma), {}};
    add_figures(line, *judged, map_figure(Part::kWhole));
    table.lines.push_back(std::move(line));
  }
  table.note =
      "A smaller gamma puts the pictures of a label closer together. The construction is ours, by each "
      "picture's rarest label: the paper does not define one.";
  return table;
}

// BCP with one changed setting, besides plain CLIP.
struct Setting {
  std::string name;
  std::function<void(adapt::BcpSettings&)> change;
};

Result<Table> sweep(const Bench& bench, Table table, const std::vector<Setting>& settings) {
  std::vector<Judgement> pair = {bench.methods[0], bench.methods[1]};
  add_columns(table, pair);
  for (const Setting& setting : settings) {
    Method method = bench.methods[1].method;
    setting.change(method.settings.bcp);
    if (method.settings == bench.methods[1].method.settings) {
      pair[1] = bench.methods[1];
    } else {
      Result<Judgement> judgement = bench.judge.judge(method, bench.orders);
      if (!judgement) return judgement.error();
      pair[1] = std::move(*judgement);
    }
    Line line{setting.name, {}};
    add_figures(line, pair, map_figure(Part::kWhole));
    table.lines.push_back(std::move(line));
  }
  return table;
}

Result<Table> anchor_confidence(const Bench& bench) {
  std::vector<Setting> settings;
  for (const double mu : kConfidences)
    settings.push_back({number_text("%g", mu), [mu](adapt::BcpSettings& bcp) { bcp.anchor_confidence = mu; }});
  return sweep(bench, {"anchor_confidence", "mAP by anchor confidence (mu)", "value", "mu", {}, {}, {}}, settings);
}

Result<Table> anchors(const Bench& bench) {
  std::vector<Setting> settings;
  for (int count = 1; count <= kMostAnchors; ++count)
    settings.push_back({std::to_string(count), [count](adapt::BcpSettings& bcp) { bcp.anchors = count; }});
  return sweep(bench, {"anchors", "mAP by number of anchors", "value", "anchors", {}, {}, {}}, settings);
}

Result<Table> warm_up(const Bench& bench) {
  const std::vector<Setting> settings = {{"off", [](adapt::BcpSettings& bcp) { bcp.warm_up = false; }},
                                         {"on", [](adapt::BcpSettings& bcp) { bcp.warm_up = true; }}};
  return sweep(bench, {"warm_up", "mAP with and without warm-up", "value", "warm-up", {}, {}, {}}, settings);
}

Table label_count(const Bench& bench) {
  Table table{"label_count", "mAP by number of labels in a picture", "labels", "labels", {}, {}, {}};
  table.columns.push_back(count_column("samples", "samples"));
  add_columns(table, bench.methods);
  std::size_t in_none = bench.judge.truth().samples;
  for (std::size_t bucket = 0; bucket < kLabelCounts.size(); ++bucket) {
    const Part part = label_count_part(bucket);
    const std::size_t size = bench.methods[0].size(part);
    in_none -= size;
    Line line{kLabelCounts[bucket].name, {static_cast<double>(size)}};
    add_figures(line, bench.methods, map_figure(part));
    table.lines.push_back(std::move(line));
  }
  table.note = "Over the labels that have a positive in the bucket.";
  if (in_none > 0) table.note += " Samples without labels, in no bucket: " + std::to_string(in_none) + ".";
  return table;
}

Table frequency(const Bench& bench) {
  Table table{"frequency", "mAP of frequent and rare labels", "group", "group", {}, {}, {}};
  table.columns.push_back(count_column("labels", "labels"));
  add_columns(table, bench.methods);
  const auto groups = frequency_groups(bench.judge.truth());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Line line{std::array{"head", "medium", "tail"}[g], {static_cast<double>(groups[g].size())}};
    add_figures(line, bench.methods, [&](const Judgement& judgement, Ranking ranking) {
      return judgement.map(Part::kWhole, ranking, groups[g]);
    });
    table.lines.push_back(std::move(line));
  }
  table.note = "Labels from the most frequent to the rarest, in three even parts.";
  return table;
}

Table anchor_hit(const Bench& bench) {
  Table table{"anchor_hit", "mAP where the first label is right, and wrong", "part", "first label", {}, {}, {}};
  table.columns.push_back(count_column("samples", "samples"));
  table.columns.push_back({"share", "share, %", 1});
  add_columns(table, bench.methods);
  const Judgement& any = bench.methods[0];
  const std::size_t confident = any.size(Part::kHit) + any.size(Part::kMiss);
  for (const Part part : {Part::kHit, Part::kMiss}) {
    const auto size = static_cast<double>(any.size(part));
    Line line{part == Part::kHit ? "hit" : "miss",
              {size, confident > 0 ? 100 * size / static_cast<double>(confident) : kNone}};
    add_figures(line, bench.methods, map_figure(part));
    table.lines.push_back(std::move(line));
  }
  table.note = "Over the " + std::to_string(confident) + " samples (of " + std::to_string(any.size(Part::kWhole)) +
               ") whose top probability is above the anchor confidence, without ignored ones.";
  return table;
}

Table time(const Bench& bench) {
  Table table{"time", "Adaptation time per picture", "method", "method", {}, {}, {}};
  table.columns = {{"microseconds", "median, µs", 2}, {"p99", "99 % within, µs", 2}};
  for (const Judgement& judgement : bench.methods)
    table.lines.push_back({judgement.method.key, {judgement.microseconds, judgement.slowest}});
  table.note = "Correcting and learning, without the encoder and without reading files; on this machine.";
  return table;
}

Result<Table> ceiling(const Bench& bench) {
  Table table{"ceiling", "mAP with the true co-occurrence", "prior", "prior", {}, {}, {}};
  std::vector<Judgement> learnt = {bench.methods[0]}, fixed = learnt;
  const auto prior = std::make_shared<const adapt::Cooccurrence>(true_cooccurrence(bench.judge.truth()));
  for (const Judgement& judgement : bench.methods) {
    if (judgement.method.kind != MethodKind::kBcp) continue;
    Method method = judgement.method;
    method.fixed = prior;
    Result<Judgement> judged = bench.judge.judge(method, bench.orders);
    if (!judged) return judged.error();
    learnt.push_back(judgement);
    fixed.push_back(std::move(*judged));
  }
  add_columns(table, learnt);
  for (const auto& [name, methods] : {std::pair{"learnt", &learnt}, std::pair{"true", &fixed}}) {
    Line line{name, {}};
    add_figures(line, *methods, map_figure(Part::kWhole));
    table.lines.push_back(std::move(line));
  }
  table.note =
      "True: from the first picture on, BCP has the label counts and co-occurrence of the ground truth. "
      "If that gains nothing, estimates will hardly help.";
  return table;
}

}  // namespace

std::span<const ProtocolInfo> protocols() {
  return kProtocols;
}

const ProtocolInfo* find_protocol(std::string_view name) {
  const auto* found = std::find_if(std::begin(kProtocols), std::end(kProtocols),
                                   [name](const auto& info) { return info.name == name; });
  return found != std::end(kProtocols) ? found : nullptr;
}

std::size_t runs_of(Protocol protocol, std::size_t methods, std::size_t orders) {
  switch (protocol) {
    case Protocol::kOrderings:
      return kShuffles * methods;
    case Protocol::kNonIid:
      return kGammas.size() * methods;
    case Protocol::kAnchorConfidence:
      return kConfidences.size() * orders;
    case Protocol::kAnchors:
      return static_cast<std::size_t>(kMostAnchors) * orders;
    case Protocol::kWarmUp:
      return 2 * orders;
    case Protocol::kCeiling:
      return 2 * orders;
    default:
      return 0;
  }
}

Result<Table> table_of(Protocol protocol, const Bench& bench) {
  switch (protocol) {
    case Protocol::kOrderings:
      return bench.orders.size() > 1 ? given_orders_table(bench.methods) : orderings(bench);
    case Protocol::kLastHalf:
      return last_half(bench);
    case Protocol::kNonIid:
      return non_iid(bench);
    case Protocol::kAnchorConfidence:
      return anchor_confidence(bench);
    case Protocol::kAnchors:
      return anchors(bench);
    case Protocol::kWarmUp:
      return warm_up(bench);
    case Protocol::kLabelCount:
      return label_count(bench);
    case Protocol::kFrequency:
      return frequency(bench);
    case Protocol::kAnchorHit:
      return anchor_hit(bench);
    case Protocol::kTime:
      return time(bench);
    case Protocol::kCeiling:
      return ceiling(bench);
    case Protocol::kDecision:
    case Protocol::kFewLabels:
    case Protocol::kVideo:
      break;
  }
  return Error{ErrorCode::kUnsupported, "this protocol has no table here"};
}

Table main_table(std::span<const Judgement> methods) {
  Table table{"main", "mAP", "method", "method", {}, {}, {}};
  for (const Ranking ranking : kRankings) table.columns.push_back({name_of_ranking(ranking), name_of_ranking(ranking)});
  for (const Judgement& judgement : methods) {
    Line line{judgement.method.key, {}};
    add_figures(line, {&judgement, 1}, map_figure(Part::kWhole));
    table.lines.push_back(std::move(line));
  }
  return table;
}

Table per_class_table(std::span<const Judgement> methods, const Truth& truth, const std::vector<std::string>& names) {
  Table table{"per_class", "AP of each label", "label", "label", {}, {}, {}};
  table.columns.push_back(count_column("positives", "positives"));
  add_columns(table, methods);
  const std::vector<std::size_t> counts = positives(truth);
  for (std::size_t k = 0; k < names.size(); ++k) {
    Line line{names[k], {static_cast<double>(counts[k])}};
    add_figures(line, methods,
                [k](const Judgement& judgement, Ranking ranking) { return judgement.ap(Part::kWhole, ranking, k); });
    table.lines.push_back(std::move(line));
  }
  return table;
}

Table given_orders_table(std::span<const Judgement> methods) {
  Table table = empty_orderings(methods);
  for (std::size_t order = 0; order < methods[0].by_order.size(); ++order)
    add_order(table, "row " + std::to_string(order), methods, order);
  const Judgement& last = methods.size() > 1 ? methods[1] : methods[0];
  table.note = last.method.title + " over these orders: " + spread_of(last) + ".";
  return table;
}

}  // namespace bcp::eval

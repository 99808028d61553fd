// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/evaluate.hpp"

#include <algorithm>
#include <utility>

#include "eval/decision.hpp"
#include "eval/groups.hpp"

namespace bcp::eval {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamed = 10;  // labels in a warning

const char* name_of_preset(adapt::Preset preset) {
  return preset == adapt::Preset::kPaper ? "paper" : "video";
}

std::vector<Method> methods_of(const Request& request) {
  std::vector<Method> methods = {{"zero_shot", "plain CLIP", MethodKind::kNone, {}}};
  const auto wanted = [&](MethodKind kind) {
    return std::find(request.adapters.begin(), request.adapters.end(), kind) != request.adapters.end();
  };
  if (wanted(MethodKind::kBcp)) {
    const auto other = request.preset == adapt::Preset::kPaper ? adapt::Preset::kVideo : adapt::Preset::kPaper;
    const bool by_hand = request.settings != adapt::preset_settings(request.preset);
    const std::string preset = name_of_preset(request.preset);
    methods.push_back({"bcp", "BCP (" + preset + (by_hand ? ", as set)" : ")"), MethodKind::kBcp, request.settings});
    methods.push_back({std::string("bcp_") + name_of_preset(other), std::string("BCP (") + name_of_preset(other) + ")",
                       MethodKind::kBcp, adapt::preset_settings(other)});
  }
  for (const MethodInfo& info : method_kinds())
    if (info.kind != MethodKind::kNone && info.kind != MethodKind::kBcp && wanted(info.kind))
      methods.push_back({info.nick, info.name, info.kind, {}});
  return methods;
}

bool asks_for(const Request& request, Protocol protocol) {
  return std::find(request.protocols.begin(), request.protocols.end(), protocol) != request.protocols.end();
}

Json settings_of(const Request& request, const Truth& truth, const std::vector<Method>& methods) {
  const adapt::BcpSettings& bcp = request.settings.bcp;
  Json settings = {{"samples", truth.samples},
                   {"labels", truth.labels},
                   {"preset", name_of_preset(request.preset)},
                   {"anchor-confidence", bcp.anchor_confidence},
                   {"strength", bcp.strength},
                   {"anchors", bcp.anchors},
                   {"keep-anchor", bcp.keep_anchor},
                   {"warm-up", bcp.warm_up},
                   {"shrinkage", bcp.shrinkage},
                   {"half-life", bcp.half_life},
                   {"novelty-distance", request.settings.novelty.distance},
                   {"novelty-interval", request.settings.novelty.interval},
                   {"orders", std::max<std::size_t>(1, request.orders.size())},
                   {"seed", request.seed}};
  settings["methods"] = Json::array();
  for (const Method& method : methods) settings["methods"].push_back({{"key", method.key}, {"title", method.title}});
  return settings;
}

// The methods of the evaluation and, with BCP, its ablations.
std::vector<Method> video_methods(const Request& request, const Stream& stream, const std::vector<Method>& methods) {
  std::vector<Method> all = methods;
  if (methods.size() < 2 || methods[1].kind != MethodKind::kBcp) return all;
  const adapt::AdapterSettings full =
      request.preset == adapt::Preset::kVideo ? request.settings : adapt::preset_settings(adapt::Preset::kVideo);
  for (Method& method : video_ablations(full, stream.has_embeddings())) all.push_back(std::move(method));
  return all;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNamed) text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}

std::vector<std::string> warnings_of(const Request& request, const Stream& stream, const Truth& truth,
                                     const std::vector<Method>& methods) {
  std::vector<std::string> warnings;
  const std::vector<std::size_t> counts = positives(truth);
  std::vector<std::string> without;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] == 0) without.push_back(request.names[k]);
  if (!without.empty())
    warnings.push_back("left out of the mean, because no sample has " +
                       std::string(without.size() == 1 ? "it: " : "them: ") + listed(without));
  for (const Method& method : methods) {
    if (method.settings.novelty.distance > 0 && !stream.has_embeddings())
      warnings.push_back(method.title +
                         " learnt from every sample: its novelty gate needs embeddings, which are missing");
  }
  if (truth.labels == 1)
    warnings.push_back("there is only one label, whose softmax is always 1: only the ranking by logits is meaningful");
  return warnings;
}

// P(b|a): row a, column b.
std::vector<double> conditional_of(const adapt::Cooccurrence& seen) {
  const std::size_t labels = seen.labels();
  std::vector<double> conditional(labels * labels);
  for (std::size_t a = 0; a < labels; ++a)
    for (std::size_t b = 0; b < labels; ++b)
      if (a != b && seen.single()[a] > 0) conditional[a * labels + b] = seen.pair(b, a) / seen.single()[a];
  return conditional;
}

// The progress of work in several parts, one after the other.
class Shares {
 public:
  explicit Shares(const Progress& progress) : progress_(progress) {}

  // Returns the number of the part, for of(). Add all parts before the first begins.
  std::size_t add(double work) {
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + work);
    return ends_.size() - 1;
  }
  Progress of(std::size_t part) const {
    if (!progress_) return {};
    const double all = ends_.back(), from = part == 0 ? 0 : ends_[part - 1] / all, to = ends_[part] / all;
    return [=, progress = progress_](double share, const std::string& what) {
      progress(from + share * (to - from), what);
    };
  }

 private:
  const Progress& progress_;
  std::vector<double> ends_;
};

bool is_about_shown_labels(Protocol protocol) {
  return protocol == Protocol::kDecision || protocol == Protocol::kFewLabels || protocol == Protocol::kVideo;
}

// Approximate cost of the decision and few-labels protocols, in adapted samples.
constexpr double kDecisionWork = 6, kFewLabelsWork = 300;

// The decision and few-labels protocols.
Status add_shown_labels(const Request& request, const std::vector<Method>& methods, const Order& order, Stream& stream,
                        const Truth& truth, const Progress& decision_progress, const Progress& few_labels_progress,
                        Results& results) {
  const bool bcp = methods.size() > 1 && methods[1].kind == MethodKind::kBcp;
  const DecisionRequest asked{.names = request.names,
                              .presence = request.presence,
                              .bcp = bcp ? &methods[1] : nullptr,
                              .order = order,
                              .seed = request.seed};
  if (asks_for(request, Protocol::kDecision)) {
    Result<DecisionTables> tables = decision_protocol(stream, truth, asked, decision_progress);
    if (!tables) return tables.error();
    results.protocols.push_back(std::move(tables->decision));
    results.details.push_back(std::move(tables->reliability));
    results.details.push_back(std::move(tables->first_frames));
  }
  if (asks_for(request, Protocol::kFewLabels)) {
    Result<Table> table = few_labels_protocol(stream, truth, asked, few_labels_progress);
    if (!table) return table.error();
    results.protocols.push_back(std::move(*table));
  }
  return ok();
}

Json settings_of(const VideoSettings& video) {
  const DwellSettings& dwell = video.dwell;
  Json settings = {{"shots", dwell.shots},
                   {"longest", dwell.longest},
                   {"revisit", dwell.revisit},
                   {"least-change", dwell.least_change},
                   {"most-change", dwell.most_change},
                   {"memory", dwell.memory},
                   {"frame-rate", dwell.frame_rate},
                   {"threshold", video.decision.threshold},
                   {"threshold-off", video.threshold_off}};
  return settings;
}

std::string shape_of(std::size_t samples, std::size_t labels) {
  return std::to_string(samples) + " samples and " + std::to_string(labels) + (labels == 1 ? " label" : " labels");
}

}  // namespace

Status check(const Request& request, const Stream& stream, const Truth& truth) {
  if (stream.samples() != truth.samples || stream.labels() != truth.labels)
    return Error{ErrorCode::kInvalid, "the scores have " + shape_of(stream.samples(), stream.labels()) +
                                          ", but the ground truth has " + shape_of(truth.samples, truth.labels) +
                                          ": give files of the same data"};
  if (request.names.size() != truth.labels)
    return Error{ErrorCode::kInvalid, "there are " + std::to_string(request.names.size()) + " names for " +
                                          std::to_string(truth.labels) + " labels: give one name for each"};
  for (const MethodKind kind : request.adapters) {
    const MethodInfo& info = info_of(kind);
    if (info.wants_embeddings && !stream.has_embeddings())
      return Error{ErrorCode::kInvalid,
                   std::string(info.name) + " needs embeddings: give them too, or remove " + info.nick};
    if (info.wants_text && !stream.has_text())
      return Error{
          ErrorCode::kInvalid,
          std::string(info.name) + " needs the labels' text embeddings: give them too, or remove " + info.nick};
  }
  if (const Status fits = check(request.presence, stream); !fits) return fits;
  const bool bcp =
      std::find(request.adapters.begin(), request.adapters.end(), MethodKind::kBcp) != request.adapters.end();
  return check(request.protocols, bcp);
}

Status check(std::span<const Protocol> asked, bool bcp) {
  for (const ProtocolInfo& info : protocols()) {
    if (info.wants_bcp && !bcp && std::find(asked.begin(), asked.end(), info.protocol) != asked.end())
      return Error{ErrorCode::kInvalid,
                   std::string("the protocol ") + info.name +
                       " needs BCP, which is not among the methods: add bcp, or remove the protocol"};
  }
  return ok();
}

Result<Results> evaluate(const Request& request, Stream& stream, const Truth& truth, const Progress& progress) {
  if (const Status fits = check(request, stream, truth); !fits) return fits.error();
  const std::vector<Method> methods = methods_of(request);
  std::vector<Order> orders = request.orders;
  if (orders.empty()) orders.push_back(file_order(truth.samples));

  std::size_t runs = methods.size() * orders.size();
  for (const Protocol protocol : request.protocols) runs += runs_of(protocol, methods.size(), orders.size());
  const std::vector<Method> on_video =
      asks_for(request, Protocol::kVideo) ? video_methods(request, stream, methods) : std::vector<Method>();
  const auto work_of = [&](Protocol protocol, double work) {
    return asks_for(request, protocol) ? work * static_cast<double>(truth.samples) : 0;
  };
  Shares shares(progress);
  const std::size_t of_judge = shares.add(static_cast<double>(runs * truth.samples)),
                    of_decision = shares.add(work_of(Protocol::kDecision, kDecisionWork)),
                    of_few_labels = shares.add(work_of(Protocol::kFewLabels, kFewLabelsWork)),
                    of_video = shares.add(static_cast<double>(on_video.size()) * expected_frames(request.video.dwell));
  Judge judge(stream, truth, request.settings.bcp.anchor_confidence, shares.of(of_judge), runs);
  std::vector<Judgement> judged;
  for (const Method& method : methods) {
    Result<Judgement> judgement = judge.judge(method, orders);
    if (!judgement) return judgement.error();
    judged.push_back(std::move(*judgement));
  }

  Results results;
  results.settings = settings_of(request, truth, methods);
  results.main = main_table(judged);
  results.per_class = per_class_table(judged, truth, request.names);
  const Bench bench{judge, judged, orders, request.names, request.seed};
  if (orders.size() > 1 && !asks_for(request, Protocol::kOrderings))
    results.protocols.push_back(given_orders_table(judged));
  for (const Protocol protocol : request.protocols) {
    if (is_about_shown_labels(protocol)) continue;  // these come last
    Result<Table> table = table_of(protocol, bench);
    if (!table) return table.error();
    results.protocols.push_back(std::move(*table));
  }
  const Status added = add_shown_labels(request, methods, orders[0], stream, truth, shares.of(of_decision),
                                        shares.of(of_few_labels), results);
  if (!added) return added.error();
  if (!on_video.empty()) {
    VideoSettings video = request.video;
    video.dwell.seed = request.seed;
    const VideoPresence presence{request.names, request.presence, methods.size()};
    Result<Table> table = video_protocol(stream, truth, on_video, video, shares.of(of_video), &presence);
    if (!table) return table.error();
    results.protocols.push_back(std::move(*table));
    results.settings["video"] = settings_of(video);
  }
  if (judged.size() > 1 && judged[1].seen) {
    results.labels = request.names;
    results.conditional = conditional_of(*judged[1].seen);
  }
  results.warnings = warnings_of(request, stream, truth, methods);
  return results;
}

}  // namespace bcp::eval

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/page_data.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gst-bcp/html/encode.hpp"

namespace bcp::cli::report {
namespace {

using Json = nlohmann::ordered_json;
using html::base64, html::packed;

constexpr std::size_t kMaxPriorLabels = 240;

// Five significant digits are more than a page shows, and need a third of the text.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 5);
  double result = 0;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

// Times to the millisecond: five digits are not enough for a two-hour stream.
Json seconds(double value) {
  return std::isfinite(value) ? Json(std::round(value * 1000) / 1000) : Json(nullptr);
}

// Collects one array of numbers from a list.
template <typename Number, typename Thing, typename Get>
std::string column(const std::vector<Thing>& things, Get get) {
  std::vector<Number> numbers;
  numbers.reserve(things.size());
  for (const Thing& thing : things) numbers.push_back(static_cast<Number>(get(thing)));
  return packed(numbers);
}

// A probability as a 16-bit number; 65535 if unknown.
std::uint16_t fixed(float probability) {
  if (std::isnan(probability)) return std::numeric_limits<std::uint16_t>::max();
  return static_cast<std::uint16_t>(std::lround(std::clamp(probability, 0.0f, 1.0f) * 65534));
}

Json timeline_json(const Timeline& timeline) {
  const auto& steps = timeline.steps;
  const auto& cells = timeline.cells;
  const bool reasoned =
      std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return !std::isnan(c.prior); });  // else left out
  return {
      {"most_results", timeline.most_results},
      {"steps",
       {
           {"time", column<double>(steps, [](const Step& s) { return s.time; })},
           {"until", column<double>(steps, [](const Step& s) { return s.until; })},
           {"pts", column<double>(steps, [](const Step& s) { return s.pts; })},
           {"results", column<std::uint16_t>(steps, [](const Step& s) { return s.results; })},
           {"anchored", column<std::uint16_t>(steps, [](const Step& s) { return s.anchored; })},
           {"changed", column<std::uint16_t>(steps, [](const Step& s) { return s.changed; })},
           {"anchor", column<std::int32_t>(steps, [](const Step& s) { return s.anchor; })},
           {"anchor_probability",
            column<std::uint16_t>(steps, [](const Step& s) { return fixed(s.anchor_probability); })},
           {"samples", column<float>(steps, [](const Step& s) { return s.samples; })},
           {"threshold", column<float>(steps, [](const Step& s) { return s.threshold; })},
           {"context", column<std::int32_t>(steps, [](const Step& s) { return s.context; })},
           {"explained", column<std::uint16_t>(steps, [](const Step& s) { return s.explained; })},
           {"context_weight", column<std::uint16_t>(steps, [](const Step& s) { return fixed(s.context_weight); })},
           {"cells", column<std::uint32_t>(steps, [](const Step& s) { return s.count; })},
       }},
      {"cells",
       {
           {"label", column<std::uint16_t>(cells, [](const Cell& c) { return c.label; })},
           {"kept", column<std::uint16_t>(cells, [](const Cell& c) { return c.kept; })},
           {"added", column<std::uint16_t>(cells, [](const Cell& c) { return c.added; })},
           {"removed", column<std::uint16_t>(cells, [](const Cell& c) { return c.removed; })},
           {"probability", column<std::uint16_t>(cells, [](const Cell& c) { return fixed(c.probability); })},
           {"plain_probability",
            column<std::uint16_t>(cells, [](const Cell& c) { return fixed(c.plain_probability); })},
           {"correction", column<float>(cells, [](const Cell& c) { return c.correction; })},
           {"prior", reasoned ? column<std::uint16_t>(cells, [](const Cell& c) { return fixed(c.prior); }) : ""},
           {"evidence", reasoned ? column<float>(cells, [](const Cell& c) { return c.evidence; }) : ""},
       }},
  };
}

Json causes_json(const std::vector<Cause>& causes, const std::string& label, const std::vector<std::string>& labels,
                 const Prior* prior) {
  Json list = Json::array();
  for (const Cause& cause : causes) {
    Json pmi = nullptr;
    if (prior && cause.anchor >= 0) {
      // An anchor has no pair with itself: it changes only because others change.
      const std::string& anchor = labels[static_cast<std::size_t>(cause.anchor)];
      if (anchor != label) pmi = rounded(prior->pmi(label, anchor));
    }
    list.push_back({{"anchor", cause.anchor},
                    {"count", cause.count},
                    {"correction", rounded(cause.correction)},
                    {"pmi", std::move(pmi)}});
  }
  return list;
}

Json reasons_json(const Reasons& reasons) {
  if (reasons.count == 0) return nullptr;
  return {{"count", reasons.count},          {"probability", rounded(reasons.probability)},
          {"prior", rounded(reasons.prior)}, {"evidence", rounded(reasons.evidence)},
          {"context", reasons.context},      {"context_count", reasons.context_count}};
}

Json oddity_json(const Oddity& oddity, const Stream& stream) {
  if (oddity.count == 0) return nullptr;
  return {{"count", oddity.count}, {"time", stream.moments[oddity.moment].time}};
}

Json change_json(const LabelChange& change, const Stream& stream, const std::vector<std::string>& labels,
                 const Prior* prior) {
  Json examples = Json::array();
  for (const Example& example : change.examples) {
    const Moment& moment = stream.moments[example.moment];
    // Not rounded: the page finds the step by it.
    examples.push_back({{"time", moment.time},
                        {"pts", seconds(moment.pts)},
                        {"added", example.score.added()},
                        {"probability", rounded(example.score.probability)},
                        {"plain_probability", rounded(example.score.plain_probability)},
                        {"correction", rounded(example.score.correction)},
                        {"anchor", moment.anchor}});
  }
  const std::string& name = labels[change.label];
  return {{"label", change.label},
          {"kept", change.kept},
          {"added", change.added},
          {"removed", change.removed},
          {"sure_removed", change.sure_removed},
          {"torn", oddity_json(change.torn, stream)},
          {"flashed", oddity_json(change.flashed, stream)},
          {"switches", change.switches},
          {"plain_switches", change.plain_switches},
          {"seconds", seconds(change.seconds)},
          {"plain_seconds", seconds(change.plain_seconds)},
          {"correction", rounded(change.correction)},
          {"added_by", causes_json(change.added_by, name, labels, prior)},
          {"removed_by", causes_json(change.removed_by, name, labels, prior)},
          {"added_why", reasons_json(change.added_why)},
          {"removed_why", reasons_json(change.removed_why)},
          {"prior", rounded(change.prior)},
          {"evidence", rounded(change.evidence)},
          {"examples", std::move(examples)}};
}

// The complete result in which the label that was added (or removed) most often changed most: the timeline may have
// combined it with others.
void add_moment(Json& moments, const Stream& stream, const Changes& changes, bool added) {
  const auto count_of = [added](const LabelChange& change) { return added ? change.added : change.removed; };
  const auto change =
      std::max_element(changes.labels.begin(), changes.labels.end(),
                       [&](const LabelChange& a, const LabelChange& b) { return count_of(a) < count_of(b); });
  if (change == changes.labels.end() || count_of(*change) == 0) return;
  const auto size_of = [added](const Example& example) {
    if (example.score.added() != added) return -1.0f;
    const float size = std::abs(example.score.probability - example.score.plain_probability);
    return std::isnan(size) ? 0.0f : size;
  };
  const auto largest = std::max_element(change->examples.begin(), change->examples.end(),
                                        [&](const Example& a, const Example& b) { return size_of(a) < size_of(b); });
  if (largest == change->examples.end() || size_of(*largest) < 0) return;
  const Moment& moment = stream.moments[largest->moment];
  Json scores = Json::array();
  for (std::size_t i = moment.first; i < moment.first + moment.count; ++i) {
    const Score& score = stream.scores[i];
    if (!score.shown && !score.plain_shown) continue;
    scores.push_back({{"label", score.label},
                      {"shown", score.shown},
                      {"plain_shown", score.plain_shown},
                      {"probability", rounded(score.probability)},
                      {"plain_probability", rounded(score.plain_probability)}});
  }
  moments.push_back({{"label", change->label},
                     {"added", added},
                     {"time", moment.time},
                     {"pts", seconds(moment.pts)},
                     {"scores", std::move(scores)}});
}

const char* name_of(TimeAxis axis) {
  switch (axis) {
    case TimeAxis::kPts:
      return "pts";
    case TimeAxis::kClock:
      return "clock";
    case TimeAxis::kNumber:
      break;
  }
  return "number";
}

double mean_delay(const Stream& stream) {
  double sum = 0;
  std::size_t known = 0;
  for (const Moment& moment : stream.moments) {
    if (std::isnan(moment.delay)) continue;
    sum += moment.delay;
    ++known;
  }
  return known == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(known);
}

}  // namespace

Json stream_json(const StreamFindings& findings, const std::vector<std::string>& labels, const Prior* prior) {
  const Stream& stream = *findings.stream;
  const Changes& changes = findings.changes;
  const auto is_older = [](const Moment& moment) { return !moment.has_plain; };
  const auto is_gap = [](const Moment& moment) { return !moment.continues; };
  Json rows = Json::array();
  for (const LabelChange& change : changes.labels) rows.push_back(change_json(change, stream, labels, prior));
  Json moments = Json::array();
  add_moment(moments, stream, changes, true);
  add_moment(moments, stream, changes, false);
  return {{"source", stream.source},
          {"regions", stream.regions},
          {"axis", name_of(findings.axis)},
          {"results", stream.moments.size()},
          {"older", std::count_if(stream.moments.begin(), stream.moments.end(), is_older)},
          {"gaps", std::count_if(stream.moments.begin() + 1, stream.moments.end(), is_gap)},
          {"first_utc", std::isnan(stream.moments.front().utc) ? Json(nullptr) : Json(stream.moments.front().utc)},
          {"watched", seconds(changes.watched)},
          {"delay", seconds(mean_delay(stream))},
          {"samples", rounded(stream.moments.back().samples)},
          {"changed", changes.changed},
          {"emptied", changes.emptied},
          {"unsettled", changes.unsettled},
          {"anchored", changes.anchored},
          {"unanchored", changes.unanchored},
          {"switches", changes.switches},
          {"plain_switches", changes.plain_switches},
          {"presence", changes.presence},
          {"uncalibrated", changes.uncalibrated},
          {"explained", changes.explained},
          {"context", changes.context},
          {"threshold", rounded(stream.moments.back().threshold)},
          {"moments", std::move(moments)},
          {"labels", std::move(rows)},
          {"timeline", timeline_json(findings.timeline)}};
}

Json prior_json(const Prior& prior, const std::vector<std::string>& wanted) {
  const PriorMatrix matrix = prior.matrix(wanted, kMaxPriorLabels);
  return {{"samples", rounded(prior.snapshot().seen.samples())},
          {"model", prior.snapshot().model},
          {"labels", prior.snapshot().labels.size()},
          {"names", matrix.names},
          {"frequency", packed(matrix.frequency)},
          {"conditional", packed(matrix.conditional)},
          {"likeness", matrix.likeness}};
}

Json thumbnails_json(const ThumbnailSheet& sheet) {
  Json times = Json::array();
  for (const double time : sheet.times) times.push_back(seconds(time));
  return {{"width", sheet.width},
          {"height", sheet.height},
          {"across", sheet.across},
          {"times", std::move(times)},
          {"image", "data:image/jpeg;base64," + base64(sheet.jpeg)}};
}

}  // namespace bcp::cli::report

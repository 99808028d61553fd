// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/explain/stored_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <string_view>

#include "base/file.hpp"
#include "base/json.hpp"
#include "gst-bcp/common/line_splitter.hpp"
#include "gst-bcp/common/result_line.hpp"

namespace bcp::cli::explain {
namespace {

using nlohmann::json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr char kWayOut[] = "give a file written by bcppublish location=FILE or gst-bcp run --jsonl";

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// "12.4": without zeros at the end.
std::string seconds_text(double seconds) {
  char text[48];
  std::snprintf(text, sizeof text, "%.6f", seconds);
  std::string_view shortened = text;
  shortened = shortened.substr(0, shortened.find_last_not_of('0') + 1);
  if (shortened.back() == '.') shortened.remove_suffix(1);
  return std::string(shortened);
}

struct Seen {
  std::size_t results = 0, timed = 0;
  double first = kUnknown, last = kUnknown;  // in the order of time
  std::string fault;                         // of the first line that could not be read
};

// Calls `take` with each result of the file and its time.
Result<Seen> each_result(const std::string& path, const std::function<void(const json&, double)>& take) {
  Seen seen;
  std::size_t number = 0;
  const auto skip = [&](const std::string& reason) {
    if (seen.fault.empty()) seen.fault = name_of(path) + ":" + std::to_string(number) + ": " + reason;
  };
  LineSplitter lines([&](std::optional<std::string_view> text) {
    ++number;
    if (!text) return skip("longer than " + std::to_string(LineSplitter::kMaxLine >> 20) + " MB");
    if (text->find_first_not_of(" \t\r") == std::string_view::npos) return;
    const Result<json> line = parse_json(*text);
    if (!line) return skip(line.error().message);
    if (is_event(*line)) return;
    if (const Status known = check_result(*line); !known) return skip(known.error().message);
    ++seen.results;
    const double pts = number_of(*line, "pts");
    if (std::isnan(pts)) return;
    ++seen.timed;
    seen.first = std::fmin(seen.first, pts);
    seen.last = std::fmax(seen.last, pts);
    take(*line, pts);
  });
  const Status read = read_pieces(path, [&lines](std::string_view piece) {
    lines.add(piece);
    return true;
  });
  if (!read) return read.error();
  lines.finish();
  if (seen.results > 0) return seen;
  return Error{ErrorCode::kInvalid,
               "there is no result in " + path + (seen.fault.empty() ? "" : " (" + seen.fault + ")") + ": " + kWayOut};
}

std::string title_of(const json& line, const std::string& path, double pts) {
  std::string title = name_of(path) + " at " + seconds_text(pts) + " s";
  if (const std::string_view source = text_of(line, "source"); !source.empty())
    title.append(", source ").append(source);
  if (const json& region = value_of(line, "region"); region.is_number()) title += ", region " + shown(region);
  return title;
}

std::string remark_of(const json& line, const Explanation& explanation) {
  if (!line.contains("decision"))
    return "a line of version 1, decided by softmax: it has no threshold, prior, evidence or context";
  if (!explanation.presence) return "decision=softmax: there is no prior, evidence or context";
  return "";
}

Result<Explanation> explain_line(const json& line, const std::string& path, double pts) {
  const LineDecision decision = read_decision(line);
  Explanation explanation{.title = title_of(line, path, pts),
                          .presence = decision.presence,
                          .calibrated = decision.calibrated,
                          .comparable = true,
                          .threshold = decision.threshold,
                          .context = std::string(decision.context),
                          .context_weight = decision.context_weight,
                          .words = {},
                          .anchor = std::string(text_of(value_of(line, "anchor"), "label")),
                          .anchor_probability = number_of(value_of(line, "anchor"), "probability"),
                          .samples = number_of(line, "samples"),
                          .taught = {},
                          .labels = {},
                          .origin = {},
                          .remark = {}};
  for (const json& entry : value_of(line, "labels")) {
    const Result<LineLabel> label = read_label(entry);
    if (!label)
      return Error{label.error().code, "the result at " + seconds_text(pts) + " s of " + path +
                                           " cannot be explained: " + label.error().message};
    explanation.labels.push_back({.name = std::string(label->name),
                                  .shown = label->shown,
                                  .plain_shown = label->plain_shown,
                                  .threshold = kUnknown,
                                  .probability = label->probability,
                                  .plain_softmax = label->plain_softmax,
                                  .prior = label->prior,
                                  .evidence = label->evidence,
                                  .correction = label->correction});
  }
  explanation.remark = remark_of(line, explanation);
  return explanation;
}

}  // namespace

std::optional<TypedTime> parse_time(const std::string& text) {
  double seconds = 0;
  std::size_t parts = 0;
  std::string_view rest = text;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view part = rest.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value, std::chars_format::fixed);
    const bool whole = part.find('.') == std::string_view::npos;
    if (error != std::errc() || end != part.data() + part.size() || !(value >= 0) || std::isinf(value))
      return std::nullopt;
    if (++parts > 3 || (!is_last && !whole) || (parts > 1 && value >= 60)) return std::nullopt;
    seconds = seconds * 60 + value;
    if (is_last) break;
    rest.remove_prefix(colon + 1);
  }
  const std::size_t point = text.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : text.size() - point - 1;
  // Not exact: a time is stored as a decimal number with nine digits.
  return TypedTime{text, seconds, std::max(0.5 * std::pow(10, -static_cast<double>(digits)), 1e-9)};
}

Result<std::vector<Explanation>> explain_stored(const std::string& path, const TypedTime& time) {
  struct Found {
    json line;
    double pts;
  };
  std::vector<Found> nearest;
  double best = std::numeric_limits<double>::infinity();
  double before = kUnknown, after = kUnknown;
  const Result<Seen> seen = each_result(path, [&](const json& line, double pts) {
    (pts < time.seconds ? before = std::fmax(before, pts) : after = std::fmin(after, pts));
    const double distance = std::abs(pts - time.seconds);
    if (distance > time.tolerance * (1 + 1e-9) || distance > best) return;
    if (distance < best) nearest.clear();
    best = distance;
    nearest.push_back({line, pts});
  });
  if (!seen) return seen.error();
  if (nearest.empty()) {
    if (seen->timed == 0)
      return Error{ErrorCode::kNotFound, "the results in " + path + " have no stream time, so none is at " + time.text};
    std::string there;
    for (const double pts : {before, after})
      if (!std::isnan(pts)) there += (there.empty() ? "" : " and ") + path + "@" + seconds_text(pts);
    return Error{ErrorCode::kNotFound,
                 "there is no result at " + time.text + " s in " + path + ": the nearest is " + there};
  }
  std::vector<Explanation> all;
  for (const Found& found : nearest) {
    Result<Explanation> explanation = explain_line(found.line, path, found.pts);
    if (!explanation) return explanation.error();
    all.push_back(*std::move(explanation));
  }
  return all;
}

Error ask_for_time(const std::string& path) {
  const Result<Seen> seen = each_result(path, [](const json&, double) {});
  if (!seen) return seen.error();
  if (seen->timed == 0)
    return Error{ErrorCode::kInvalid, "the results in " + path + " have no stream time, so none can be chosen"};
  return Error{ErrorCode::kInvalid, path + " contains " + std::to_string(seen->results) + " results from " +
                                        seconds_text(seen->first) + " to " + seconds_text(seen->last) +
                                        " s: add the time of one, such as " + path + "@" + seconds_text(seen->first)};
}

}  // namespace bcp::cli::explain

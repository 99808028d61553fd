// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/results.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "gst-bcp/common/line_splitter.hpp"
#include "gst-bcp/common/result_line.hpp"

namespace bcp::cli::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFaults = 5, kMaxStreams = 64;
constexpr std::size_t kMaxLabels = std::numeric_limits<std::uint16_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// "2026-01-01T12:00:00.000000Z" as seconds since 1970.
double utc_seconds(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%d-%u-%uT%u:%u:%lfZ", &year, &month, &day, &hour, &minute, &second) != 6) return kNone;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return kNone;
  return static_cast<double>(sys_days(date).time_since_epoch().count()) * 86400 + hour * 3600.0 + minute * 60.0 +
         second;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : name_(std::filesystem::path(path).filename().string()) {}

  void take(std::string_view piece) {
    results_.bytes += piece.size();
    lines_.add(piece);
  }

  Results finish() {
    lines_.finish();
    return std::move(results_);
  }

 private:
  void take_line(std::optional<std::string_view> text) {
    ++results_.lines;
    if (!text) {
      skip("longer than " + std::to_string(LineSplitter::kMaxLine >> 20) + " MB");
    } else if (text->find_first_not_of(" \t\r") != std::string_view::npos) {
      if (const Status read = read_line(*text); !read) skip(read.error().message);
    }
  }

  void skip(const std::string& reason) {
    ++results_.skipped;
    if (results_.first_faults.size() < kMaxFaults)
      results_.first_faults.push_back(name_ + ":" + std::to_string(results_.lines) + ": " + reason);
  }

  static Error fault(std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; }

  Status read_line(std::string_view text) {
    const Result<json> parsed = parse_json(text);
    if (!parsed) return parsed.error();
    const json& line = *parsed;
    if (is_event(line)) {
      ++results_.events;
      return ok();
    }
    if (const Status known = check_result(line); !known) return known;
    Result<Stream*> stream = stream_of(line);
    if (!stream) return stream.error();
    return read_result(line, value_of(line, "labels"), **stream);
  }

  Result<Stream*> stream_of(const json& line) {
    const std::string key(text_of(line, "source"));
    const bool regions = value_of(line, "region").is_number();
    for (Stream& stream : results_.streams)
      if (stream.source == key && stream.regions == regions) return &stream;
    if (results_.streams.size() == kMaxStreams)
      return fault("one source more than the " + std::to_string(kMaxStreams) + " a page can show");
    results_.streams.push_back({.source = key, .regions = regions, .moments = {}, .scores = {}});
    return &results_.streams.back();
  }

  Result<std::uint16_t> label_of(std::string_view name) {
    if (const auto known = numbers_.find(std::string(name)); known != numbers_.end()) return known->second;
    if (results_.labels.size() == kMaxLabels)
      return fault("one label more than the " + std::to_string(kMaxLabels) + " a page can show");
    const auto next = static_cast<std::uint16_t>(results_.labels.size());
    numbers_.emplace(name, next);
    results_.labels.emplace_back(name);
    return next;
  }

  Result<int> context_of(std::string_view word) {
    const auto known = contexts_.find(std::string(word));
    if (known != contexts_.end()) return known->second;
    if (results_.contexts.size() == kMaxLabels)
      return fault("one context word more than the " + std::to_string(kMaxLabels) + " a page can show");
    const auto next = static_cast<int>(results_.contexts.size());
    contexts_.emplace(word, next);
    results_.contexts.emplace_back(word);
    return next;
  }

  Result<Score> read_score(const json& entry, bool& has_plain) {
    const Result<LineLabel> said = read_label(entry);
    if (!said) return said.error();
    const Result<std::uint16_t> label = label_of(said->name);
    if (!label) return label.error();
    has_plain = has_plain && said->plain_shown;
    Score score;
    score.label = *label;
    score.shown = said->shown;
    score.plain_shown = said->plain_shown.value_or(said->shown);
    score.probability = static_cast<float>(said->probability);
    score.plain_probability = static_cast<float>(said->plain_softmax);
    score.correction = static_cast<float>(said->correction);
    score.prior = static_cast<float>(said->prior);
    score.evidence = static_cast<float>(said->evidence);
    return score;
  }

  Status read_decision_of(const json& line, Moment& moment) {
    const LineDecision decision = read_decision(line);
    moment.presence = decision.presence;
    moment.calibrated = decision.calibrated;
    moment.threshold = static_cast<float>(decision.threshold);
    if (decision.context.empty()) return ok();
    const Result<int> context = context_of(decision.context);
    if (!context) return context.error();
    moment.context = *context;
    moment.context_weight = static_cast<float>(decision.context_weight);
    return ok();
  }

  // The stream is changed only after the whole line was read.
  Status read_result(const json& line, const json& labels, Stream& stream) {
    Moment moment;
    scores_.clear();
    for (const json& entry : labels) {
      const Result<Score> score = read_score(entry, moment.has_plain);
      if (!score) return score.error();
      if (score->label >= named_in_.size()) named_in_.resize(results_.labels.size(), 0);
      if (std::exchange(named_in_[score->label], results_.lines) == results_.lines)
        return fault("it names the label \"" + results_.labels[score->label] + "\" twice");
      const bool is_faint = !(score->probability >= kFaint) && !(score->plain_probability >= kFaint);
      if (score->shown || score->plain_shown || !is_faint) scores_.push_back(*score);
    }
    if (const json& anchor = value_of(line, "anchor"); anchor.is_object()) {
      const Result<std::uint16_t> label = label_of(text_of(anchor, "label"));
      if (!label) return label.error();
      moment.anchor = *label;
      moment.anchor_probability = static_cast<float>(number_of(anchor, "probability"));
    }
    if (const Status decided = read_decision_of(line, moment); !decided) return decided;
    moment.pts = number_of(line, "pts");
    moment.utc = utc_seconds(text_of(line, "utc"));
    moment.delay = moment.pts - number_of(line, "inference_pts");
    const double samples = number_of(line, "samples");
    moment.samples = std::isnan(samples) ? 0 : samples;
    moment.first = stream.scores.size();
    moment.count = scores_.size();
    stream.scores.insert(stream.scores.end(), scores_.begin(), scores_.end());
    stream.moments.push_back(moment);
    ++results_.results;
    results_.older += !moment.has_plain;
    return ok();
  }

  std::string name_;
  Results results_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
  std::unordered_map<std::string, int> contexts_;
  LineSplitter lines_{[this](std::optional<std::string_view> text) { take_line(text); }};
  std::vector<Score> scores_;
  std::vector<std::size_t> named_in_;  // by label: the latest line with it
};

}  // namespace

Result<Results> read_results(const std::string& path) {
  Reader reader(path);
  const Status read = read_pieces(path, [&reader](std::string_view piece) {
    reader.take(piece);
    return true;
  });
  if (!read) return read.error();
  Results results = reader.finish();
  // A source with invalid lines only has no result.
  std::erase_if(results.streams, [](const Stream& stream) { return stream.moments.empty(); });
  if (results.results > 0) return results;
  const std::string first = results.first_faults.empty() ? "" : " (" + results.first_faults.front() + ")";
  return Error{ErrorCode::kInvalid, "there is no result in " + path + first +
                                        ": give a file written by bcppublish location=FILE or gst-bcp run --jsonl"};
}

}  // namespace bcp::cli::report

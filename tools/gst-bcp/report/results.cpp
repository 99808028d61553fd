// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/results.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"

namespace bcp::cli::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLine = std::size_t{16} << 20;  // 20,000 labels take a quarter of it
constexpr std::size_t kMaxFaults = 5, kMaxStreams = 64;
constexpr std::size_t kMaxLabels = std::numeric_limits<std::uint16_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double number(const json& object, const char* key) {
  const json& value = value_of(object, key);
  return value.is_number() ? value.get<double>() : kNone;
}

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
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      keep(piece.substr(0, end));
      if (end == std::string_view::npos) return;
      finish_line();
      piece.remove_prefix(end + 1);
    }
  }

  Results finish() {
    if (!line_.empty() || too_long_) finish_line();
    return std::move(results_);
  }

 private:
  void keep(std::string_view part) {
    too_long_ = too_long_ || line_.size() + part.size() > kMaxLine;
    if (too_long_)
      line_.clear();
    else
      line_ += part;
  }

  void finish_line() {
    ++results_.lines;
    if (std::exchange(too_long_, false)) {
      skip("longer than " + std::to_string(kMaxLine >> 20) + " MB");
    } else if (line_.find_first_not_of(" \t\r") != std::string::npos) {
      if (const Status read = read_line(); !read) skip(read.error().message);
    }
    line_.clear();
  }

  void skip(const std::string& reason) {
    ++results_.skipped;
    if (results_.first_faults.size() < kMaxFaults)
      results_.first_faults.push_back(name_ + ":" + std::to_string(results_.lines) + ": " + reason);
  }

  static Error fault(std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; }

  Status read_line() {
    const Result<json> parsed = parse_json(line_);
    if (!parsed) return parsed.error();
    const json& line = *parsed;
    if (!line.is_object()) return fault("no JSON object");
    if (line.contains("event")) {
      ++results_.events;
      return ok();
    }
    if (const json& version = value_of(line, "version"); version.is_number() && version > 1)
      return fault("version " + shown(version) + " of the format, newer than this gst-bcp");
    const json& labels = value_of(line, "labels");
    if (!labels.is_array()) return fault("no result: it has no list \"labels\"");
    Result<Stream*> stream = stream_of(line);
    if (!stream) return stream.error();
    return read_result(line, labels, **stream);
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

  Result<Score> read_score(const json& entry, bool& tells_plain) {
    const json& name = value_of(entry, "label");
    const json& is_shown = value_of(entry, "shown");
    if (!name.is_string() || !is_shown.is_boolean()) return fault("a label in it has no name or no \"shown\"");
    const Result<std::uint16_t> label = label_of(name.get_ref<const std::string&>());
    if (!label) return label.error();
    const json& plain_shown = value_of(entry, "zero_shot_shown");
    tells_plain = tells_plain && plain_shown.is_boolean();
    Score score;
    score.label = *label;
    score.shown = is_shown.get<bool>();
    score.plain_shown = plain_shown.is_boolean() ? plain_shown.get<bool>() : score.shown;
    score.probability = static_cast<float>(number(entry, "probability"));
    score.plain_probability = static_cast<float>(number(entry, "zero_shot_probability"));
    score.correction = static_cast<float>(number(entry, "correction"));
    return score;
  }

  // The stream is touched only once the line is known to be whole.
  Status read_result(const json& line, const json& labels, Stream& stream) {
    Moment moment;
    scores_.clear();
    for (const json& entry : labels) {
      const Result<Score> score = read_score(entry, moment.tells_plain);
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
      moment.anchor_probability = static_cast<float>(number(anchor, "probability"));
    }
    moment.pts = number(line, "pts");
    moment.utc = utc_seconds(text_of(line, "utc"));
    moment.delay = moment.pts - number(line, "inference_pts");
    const double samples = number(line, "samples");
    moment.samples = std::isnan(samples) ? 0 : samples;
    moment.first = stream.scores.size();
    moment.count = scores_.size();
    stream.scores.insert(stream.scores.end(), scores_.begin(), scores_.end());
    stream.moments.push_back(moment);
    ++results_.results;
    results_.older += !moment.tells_plain;
    return ok();
  }

  std::string name_;
  Results results_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
  std::string line_;
  bool too_long_ = false;
  std::vector<Score> scores_;
  std::vector<std::size_t> named_in_;  // by label: the latest line that names it
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
  // A source whose only lines turned out broken has no result.
  std::erase_if(results.streams, [](const Stream& stream) { return stream.moments.empty(); });
  if (results.results > 0) return results;
  const std::string first = results.first_faults.empty() ? "" : " (" + results.first_faults.front() + ")";
  return Error{ErrorCode::kInvalid, "there is no result in " + path + first +
                                        ": give the file that bcppublish location=FILE, or gst-bcp run --jsonl, wrote"};
}

}  // namespace bcp::cli::report

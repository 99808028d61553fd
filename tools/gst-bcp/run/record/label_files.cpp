// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/label_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/descriptor.hpp"

namespace bcp::cli::run {
namespace {

constexpr double kLongestCue = 2;  // seconds: a crash loses no more
constexpr double kLineEvery = 1;

bool append_text(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return file.is_open() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string cue_time(double seconds) {
  const auto all = static_cast<long long>(std::llround(std::max(0.0, seconds) * 1000));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld.%03lld", all / 3600000, all / 60000 % 60,
                all / 1000 % 60, all % 1000);
  return text.data();
}

// WebVTT is markup.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

}  // namespace

void LabelFiles::add(double seconds, const Labels& labels) {
  seconds = std::max(seconds, last_);
  last_ = seconds;
  std::vector<std::string> names;
  for (const auto& [name, probability] : labels) names.push_back(name);
  std::sort(names.begin(), names.end());
  const bool changed = names != shown_;
  if (!cue_.empty() && (changed || seconds - cue_start_ >= kLongestCue)) end_cue(seconds);
  if (cue_.empty() && !labels.empty()) {
    cue_start_ = seconds;
    for (const auto& [name, probability] : labels) cue_ += (cue_.empty() ? "" : ", ") + escaped(name);
  }
  if (!changed && (labels.empty() || seconds - line_at_ < kLineEvery)) return;
  shown_ = std::move(names);
  line_at_ = seconds;
  nlohmann::ordered_json line;
  line["seconds"] = std::round(seconds * 1000) / 1000;
  line["utc"] =
      exact_stamp(start_ + std::chrono::duration_cast<WallTime::duration>(std::chrono::duration<double>(seconds)));
  line["labels"] = nlohmann::ordered_json::array();
  for (const auto& [name, probability] : labels)
    line["labels"].push_back({{"label", name}, {"probability", std::round(probability * 10000) / 10000}});
  append_text(stem_ + ".jsonl", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void LabelFiles::end_cue(double seconds) {
  if (cue_.empty()) return;
  if (seconds > cue_start_) {
    std::string text = began_ ? "" : "WEBVTT\n\n";
    text += cue_time(cue_start_) + " --> " + cue_time(seconds) + "\n" + cue_ + "\n\n";
    began_ |= append_text(stem_ + ".vtt", text);
  }
  cue_.clear();
}

void LabelFiles::finish(double seconds) {
  end_cue(std::max(seconds, last_));
}

}  // namespace bcp::cli::run

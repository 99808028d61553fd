// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/label_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

namespace bcp::cli::run {
namespace {

constexpr double kLongestCue = 2;  // seconds: a crash loses no more
constexpr double kLineEvery = 1;

constexpr const char* kLines = ".jsonl";
constexpr const char* kSubtitles = ".vtt";
constexpr std::string_view kFirstLine = "WEBVTT\n\n";
constexpr std::size_t kLargest = 256 << 20;

// All or nothing.
bool append_text(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const off_t end = file.is_open() ? ::lseek(file.get(), 0, SEEK_END) : -1;
  if (end < 0) return false;
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return true;
  if (::ftruncate(file.get(), end) != 0) return false;  // what follows is damaged until the next start
  return false;
}

// The bytes in front of the first line that is not whole.
std::size_t whole_lines(std::string_view text) {
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1)
    if (!parse_json(text.substr(at, end - at))) break;
  return at;
}

// The bytes in front of the first subtitle that is not whole. A lost block is zeros.
std::size_t whole_subtitles(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return 0;
  const std::size_t end = text.substr(0, text.find('\0')).rfind("\n\n");
  return end + 2;
}

void cut_file(const std::string& path, std::size_t (*whole_part)(std::string_view)) {
  const Result<std::string> text = read_file(path, kLargest);
  const std::size_t whole = text ? whole_part(*text) : 0;
  if (!text || (whole == text->size() && whole > 0)) return;
  if (whole == 0) {
    ::unlink(path.c_str());
    return;
  }
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.is_open() && ::ftruncate(file.get(), static_cast<off_t>(whole)) == 0) ::fsync(file.get());
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

std::vector<std::string> label_files_of(const std::string& video) {
  const std::filesystem::path path(video);
  return {std::filesystem::path(path).replace_extension(kLines).string(),
          std::filesystem::path(path).replace_extension(kSubtitles).string()};
}

void mend_label_files(const std::string& video) {
  const std::vector<std::string> files = label_files_of(video);
  cut_file(files[0], whole_lines);
  cut_file(files[1], whole_subtitles);
}

bool LabelFiles::append(const char* ending, const std::string& text) {
  is_synced_ = false;
  return append_text(stem_ + ending, text);
}

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
  append(kLines, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void LabelFiles::end_cue(double seconds) {
  if (cue_.empty()) return;
  if (seconds > cue_start_) {
    std::string text(began_ ? "" : kFirstLine);
    text += cue_time(cue_start_) + " --> " + cue_time(seconds) + "\n" + cue_ + "\n\n";
    began_ |= append(kSubtitles, text);
  }
  cue_.clear();
}

void LabelFiles::finish(double seconds) {
  end_cue(std::max(seconds, last_));
  if (std::exchange(is_synced_, true)) return;
  for (const char* ending : {kLines, kSubtitles}) {
    const Descriptor file(::open((stem_ + ending).c_str(), O_RDONLY | O_CLOEXEC));
    if (file.is_open()) ::fdatasync(file.get());
  }
  sync_folder_of(stem_ + kLines);
}

}  // namespace bcp::cli::run

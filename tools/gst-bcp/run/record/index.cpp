// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/index.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "gst-bcp/run/record/wall_clock.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::size_t kLongestIndex = 256 << 20;
constexpr std::size_t kMostRemoved = 256;  // lines, before the index is written again without them

std::string stamp_of(double seconds) {
  return exact_stamp(WallTime(std::chrono::milliseconds(std::llround(seconds * 1000))));
}

std::string line_of(const IndexEntry& entry) {
  const double start = std::round(entry.start * 1000) / 1000, seconds = std::round(entry.seconds * 1000) / 1000;
  nlohmann::ordered_json line = {{"file", entry.file},   {"start", stamp_of(start)}, {"end", stamp_of(start + seconds)},
                                 {"unix", start},        {"seconds", seconds},       {"bytes", entry.bytes},
                                 {"video", entry.video}, {"sound", entry.sound},     {"ended", entry.ended}};
  if (!entry.event.empty()) line["event"] = entry.event;
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

double number_at(const nlohmann::json& line, const char* key) {
  const nlohmann::json& value = bcp::value_of(line, key);
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace

Result<RecordIndex> RecordIndex::load(const std::string& folder) {
  RecordIndex index;
  index.path_ = folder + "/" + kIndexName;
  std::error_code error;
  if (!std::filesystem::exists(index.path_, error)) return index;
  const Result<std::string> text = read_file(index.path_, kLongestIndex);
  if (!text) return text.error();
  index.is_tidy_ = text->empty() || text->back() == '\n';
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const Result<nlohmann::json> line = parse_json(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!line) {
      index.is_tidy_ = false;
      continue;
    }
    if (const std::string_view gone = bcp::text_of(*line, "removed"); !gone.empty()) {
      std::erase_if(index.entries_, [gone](const IndexEntry& entry) { return entry.file == gone; });
      ++index.removed_;
      continue;
    }
    IndexEntry entry;
    entry.file = bcp::text_of(*line, "file");
    entry.start = number_at(*line, "unix");
    entry.seconds = number_at(*line, "seconds");
    entry.bytes = static_cast<std::uint64_t>(std::max(0.0, number_at(*line, "bytes")));
    entry.video = bcp::text_of(*line, "video");
    entry.sound = bcp::text_of(*line, "sound");
    entry.ended = bcp::text_of(*line, "ended");
    entry.event = bcp::text_of(*line, "event");
    if (!entry.file.empty() && entry.file.find('/') == std::string::npos) index.entries_.push_back(std::move(entry));
  }
  // Removed by a person, or by a run that was killed before it could note it.
  const auto missing = std::erase_if(index.entries_, [&](const IndexEntry& entry) {
    return !std::filesystem::exists(folder + "/" + entry.file, error);
  });
  if (missing > 0 || index.removed_ > 0) index.is_tidy_ = false;
  return index;
}

bool RecordIndex::has(const std::string& file) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const IndexEntry& entry) { return entry.file == file; });
}

Status RecordIndex::add(IndexEntry entry) {
  const std::string line = line_of(entry);
  entries_.push_back(std::move(entry));
  return append(line);
}

Status RecordIndex::remove(const std::string& file) {
  std::erase_if(entries_, [&](const IndexEntry& entry) { return entry.file == file; });
  if (++removed_ > kMostRemoved && rewrite()) return ok();
  return append(nlohmann::json{{"removed", file}}.dump() + "\n");
}

Status RecordIndex::flush() {
  return waiting_.empty() && is_tidy_ ? ok() : append("");
}

Status RecordIndex::append(const std::string& line) {
  if (!is_tidy_) return rewrite();
  waiting_ += line;
  std::error_code error;
  const bool is_new = !std::filesystem::exists(path_, error);
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.is_open()) return system_error("cannot open", path_, errno);
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  const ssize_t written = ::write(file.get(), waiting_.data(), waiting_.size());
  const int number = errno;
  if (written != static_cast<ssize_t>(waiting_.size())) {
    // Half a line would be joined to the next.
    if (end >= 0 && ::ftruncate(file.get(), end) != 0) return system_error("cannot write", path_, errno);
    return system_error("cannot write", path_, number);
  }
  waiting_.clear();
  if (::fdatasync(file.get()) != 0) return system_error("cannot write", path_, errno);
  if (is_new) sync_folder_of(path_);
  return ok();
}

Status RecordIndex::rewrite() {
  std::string text;
  for (const IndexEntry& entry : entries_) text += line_of(entry);
  const Status done = replace_file(path_, text);
  if (!done) return done;
  waiting_.clear();
  removed_ = 0;
  is_tidy_ = true;
  return ok();
}

}  // namespace bcp::cli::run

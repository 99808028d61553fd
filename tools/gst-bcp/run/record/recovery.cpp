// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/recovery.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/number_text.hpp"
#include "gst-bcp/run/plan/media_look.hpp"
#include "gst-bcp/run/record/label_files.hpp"
#include "gst-bcp/run/record/wall_clock.hpp"

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLate = 3;  // complete files that labels may still be written for

// The seconds since 1970 in a name like 2026-11-18T11-28-07Z.mp4 or 2026-11-18T11-28-07Z_2.mp4; below 0: it is not one
// of ours. A file that a person has renamed is theirs: it is neither cut nor removed later.
double start_in_name(const std::string& name) {
  std::tm parts{};
  if (!::strptime(name.c_str(), "%Y-%m-%dT%H-%M-%SZ", &parts)) return -1;
  const std::time_t start = ::timegm(&parts);
  const std::string stamp = file_stamp(std::chrono::system_clock::from_time_t(start));
  if (!name.starts_with(stamp)) return -1;
  std::string_view rest = std::string_view(name).substr(stamp.size());
  if (rest.starts_with('_')) rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  return rest == ".mp4" || rest == ".mkv" ? static_cast<double>(start) : -1;
}

// Before the index says so.
bool cut_to(const std::string& path, std::uint64_t size) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && ::ftruncate(file.get(), static_cast<off_t>(size)) == 0 && ::fsync(file.get()) == 0;
}

}  // namespace

bool remove_recording(const std::string& folder, const std::string& file) {
  const fs::path video = fs::path(folder) / file;
  std::error_code error;
  fs::remove(video, error);
  if (fs::exists(video, error)) return false;
  for (const std::string& labels : label_files_of(video.string())) fs::remove(labels, error);
  return true;
}

std::string recover(const std::string& folder, RecordIndex& index) {
  std::vector<std::string> left;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (start_in_name(name) >= 0 && !index.has(name)) left.push_back(name);
  }
  std::sort(left.begin(), left.end());
  // Labels are written for some time after their video is complete.
  const std::vector<IndexEntry>& known = index.entries();
  for (std::size_t i = known.size() - std::min(known.size(), kMostLate); i < known.size(); ++i)
    mend_label_files(folder + "/" + known[i].file);
  std::string news;
  for (const std::string& name : left) {
    const std::string path = folder + "/" + name;
    const Result<MediaLook> look = name.ends_with(".mp4") ? look_at_mp4(path) : look_at_mkv(path);
    if (!look) continue;  // of another user; it stays
    if (!news.empty()) news += "\n";
    if (look->whole == 0) {
      remove_recording(folder, name);
      news += path + " was being written when an earlier run stopped; it had no whole fragment yet and is removed";
      continue;
    }
    const std::uint64_t size = fs::file_size(path, error);
    const bool is_cut = !error && size > look->whole && cut_to(path, look->whole);
    mend_label_files(path);
    IndexEntry entry;
    entry.file = name;
    entry.start = start_in_name(name);
    entry.seconds = look->seconds;
    entry.bytes = look->whole;
    entry.video = look->video;
    entry.ended = "recovered";
    // A full disk: the next run finds it again.
    const Status kept = index.add(std::move(entry));
    news += path + " was being written when an earlier run stopped; its first " + number_text("%.1f s", look->seconds) +
            " are kept" +
            (is_cut ? ", an incomplete fragment of " + std::to_string(size - look->whole) + " bytes is not" : "") +
            (kept ? "" : " (" + kept.error().message + ")");
  }
  return news;
}

}  // namespace bcp::cli::run

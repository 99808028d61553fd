// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/graph_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"
#include "clip/bundle/checksum_cache.hpp"
#include "onnx/processor.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model.onnx";
constexpr const char* kSums = "sha256.json";
constexpr std::size_t kMaxSums = 4096;
constexpr std::chrono::hours kAbandoned{1};  // older temporary directories are left over

struct GraphEntry {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
};

std::uintmax_t bytes_in(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(file->path(), ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

// All entries, least recently used first. Removes abandoned temporary directories.
std::vector<GraphEntry> entries_in(const fs::path& directory) {
  std::vector<GraphEntry> entries;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error)) {
    std::error_code ignored;
    const fs::path& path = each->path();
    const bool is_temporary = path.extension() == ".tmp";
    const fs::file_time_type used = fs::last_write_time(is_temporary ? path : path / kSums, ignored);
    if (is_temporary) {
      if (!ignored && fs::file_time_type::clock::now() - used > kAbandoned) fs::remove_all(path, ignored);
    } else {
      entries.push_back({path, ignored ? fs::file_time_type::min() : used, bytes_in(path)});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const GraphEntry& a, const GraphEntry& b) { return a.used < b.used; });
  return entries;
}

// Whether all files of the entry exist and match their stored checksums.
bool is_sound(const fs::path& directory) {
  const Result<std::string> text = read_file((directory / kSums).string(), kMaxSums);
  const Result<nlohmann::json> sums = text ? parse_json(*text) : Result<nlohmann::json>(text.error());
  if (!sums || !sums->is_object() || !sums->contains(kModel)) return false;
  return std::all_of(sums->items().begin(), sums->items().end(), [&](const auto& item) {
    const fs::path file = directory / fs::path(item.key()).filename();
    const Result<std::string> found = cached_sha256(file.string());
    return found && item.value() == *found;
  });
}

}  // namespace

GraphCache::GraphCache(const std::string& identity) {
  if (identity.empty()) return;
  const onnx::Processor& processor = onnx::this_processor();
  const Result<std::string> name =
      sha256(identity + "\n" + onnx::version() + "\n" + processor.name + "\n" + processor.features);
  if (name) directory_ = user_cache("graphs/" + *name);
}

GraphCache::~GraphCache() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string GraphCache::find() const try {
  std::error_code ignored;
  if (directory_.empty() || !fs::is_directory(directory_, ignored)) return {};
  const fs::path directory = directory_;
  if (!is_sound(directory)) {
    remove();
    return {};
  }
  fs::last_write_time(directory / kSums, fs::file_time_type::clock::now(), ignored);
  return (directory / kModel).string();
} catch (const std::exception&) {
  return {};
}

std::string GraphCache::begin(std::uintmax_t bytes) try {
  if (directory_.empty() || bytes > kMaxBytes / 2) return {};
  const fs::path all = fs::path(directory_).parent_path();
  std::error_code error;
  // The cache must not fill the disk.
  if (const fs::space_info space = fs::space(all, error); error || space.available / 4 < bytes) return {};
  std::vector<GraphEntry> entries = entries_in(all);
  std::uintmax_t total = bytes;
  for (const GraphEntry& entry : entries) total += entry.bytes;
  for (const GraphEntry& entry : entries) {
    if (total <= kMaxBytes) break;
    fs::remove_all(entry.path, error);
    total -= entry.bytes;
  }
  static std::atomic<unsigned> counter{0};
  const std::string place = directory_ + "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
  if (!fs::create_directory(place, error)) return {};
  temporary_ = place;
  return (fs::path(place) / kModel).string();
} catch (const std::exception&) {
  return {};
}

void GraphCache::commit() try {
  if (temporary_.empty()) return;
  nlohmann::json sums = nlohmann::json::object();
  for (const auto& file : fs::directory_iterator(temporary_)) {
    const Result<std::string> sum = sha256_of_file(file.path().string());
    if (!sum) return;
    sums[file.path().filename().string()] = *sum;
  }
  if (!sums.contains(kModel) || !replace_file(temporary_ + "/" + kSums, sums.dump(1) + "\n")) return;
  std::error_code exists;
  fs::rename(temporary_, directory_, exists);  // keeps the entry if another process was faster
  if (!exists) temporary_.clear();
} catch (const std::exception&) {
  // A later start writes it.
}

void GraphCache::remove() const {
  std::error_code ignored;
  if (!directory_.empty()) fs::remove_all(directory_, ignored);
}

}  // namespace bcp::clip

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/checksum_cache.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxCache = std::size_t{1} << 20;
constexpr std::size_t kChecksumDigits = 64;
constexpr std::int64_t kSecond = 1'000'000'000;

// Identifies an unchanged file. Size and modification time are not enough: packages and container layers give every
// file the same time, and copying keeps it.
struct Stamp {
  std::int64_t size = 0;
  std::int64_t written_ns = 0, changed_ns = 0;  // changed_ns is set by the system only
  std::uint64_t inode = 0, device = 0;

  bool operator==(const Stamp&) const = default;
};

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::optional<Stamp> stamp(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return Stamp{info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim), info.st_ino, info.st_dev};
}

json as_json(const Stamp& stamp) {
  return {{"size", stamp.size},
          {"mtime_ns", stamp.written_ns},
          {"ctime_ns", stamp.changed_ns},
          {"inode", stamp.inode},
          {"device", stamp.device}};
}

// File systems store time in steps of up to two seconds: a file this new could change again with the same stamp.
bool is_settled(const Stamp& stamp) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - std::max(stamp.written_ns, stamp.changed_ns) > 2 * kSecond;
}

// Entries by path; empty if there is no valid cache.
json read_cache(const std::string& cache) {
  const Result<std::string> text = read_file(cache, kMaxCache);
  if (!text) return json::object();
  Result<json> entries = parse_json(*text);
  return entries && entries->is_object() ? *std::move(entries) : json::object();
}

std::optional<std::string> lookup(const json& entries, const std::string& path, const Stamp& now) {
  const json& entry = value_of(entries, path.c_str());
  const std::string_view hash = text_of(entry, "sha256");
  if (value_of(entry, "file") != as_json(now) || hash.size() != kChecksumDigits) return std::nullopt;
  return std::string(hash);
}

void store(const std::string& cache, const std::string& path, const Stamp& now, const std::string& hash) {
  json entries = read_cache(cache);  // read again: another process may have added entries meanwhile
  for (auto entry = entries.begin(); entry != entries.end();)
    entry = stamp(entry.key()) ? std::next(entry) : entries.erase(entry);
  entries[path] = {{"file", as_json(now)}, {"sha256", hash}};
  (void)replace_file(cache, entries.dump(1) + "\n");
}

}  // namespace

Result<std::string> cached_sha256(const std::string& path) try {
  const std::string cache = user_cache("checksums.json");
  std::error_code unresolved;
  const std::string key = std::filesystem::canonical(path, unresolved).string();
  const std::optional<Stamp> before = unresolved ? std::nullopt : stamp(key);
  if (cache.empty() || !before) return sha256_of_file(path);

  if (auto known = lookup(read_cache(cache), key, *before)) return *std::move(known);
  Result<std::string> hash = sha256_of_file(path);
  if (hash && stamp(key) == before && is_settled(*before)) store(cache, key, *before, *hash);
  return hash;
} catch (const std::exception&) {
  // A path that is not UTF-8 cannot be a JSON key, or the cache is damaged in another way: work without it.
  return sha256_of_file(path);
}

}  // namespace bcp::clip

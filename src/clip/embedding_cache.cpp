// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file: "BCPTEXT1", the width (uint32), then records: length of the text (uint32), its bytes, the embedding
// (float32), CRC-32 of the record (uint32). Little-endian. Reading stops at the first invalid record: texts after it
// are encoded again.
#include "clip/embedding_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/crc32.hpp"
#include "base/mapped_file.hpp"
#include "base/user_cache.hpp"

namespace bcp::clip {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written in the byte order of this machine");

constexpr std::string_view kMagic = "BCPTEXT1";
constexpr std::size_t kHeader = kMagic.size() + sizeof(std::uint32_t);
constexpr std::size_t kMaxText = 1 << 16;
constexpr std::size_t kMaxCacheFile = std::size_t{128} << 20;  // larger files are started again

void put(std::string& bytes, std::uint32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint32_t get(std::string_view bytes) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::string header(std::size_t width) {
  std::string bytes(kMagic);
  put(bytes, static_cast<std::uint32_t>(width));
  return bytes;
}

// The file, locked against other processes while this object exists, so that records are never mixed or read half
// written. Not open if it cannot be locked.
class LockedFile {
 public:
  LockedFile(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {
    struct stat info {};
    bool usable = fd_ >= 0 && ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
    // Other processes hold the lock for milliseconds. A longer lock is not ours and not waited for.
    for (int attempt = 0; usable && ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++attempt) {
      usable = attempt < 100;
      if (usable) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (!usable && fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  bool is_open() const { return fd_ >= 0; }
  std::size_t size() const {
    struct stat info {};
    return fd_ >= 0 && ::fstat(fd_, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
  }
  void cut(std::size_t size) {
    if (fd_ >= 0) (void)!::ftruncate(fd_, static_cast<off_t>(size));
  }
  // The checksum detects a record that a full disk cut.
  void append(std::string_view bytes) {
    if (fd_ >= 0) (void)!::write(fd_, bytes.data(), bytes.size());
  }

 private:
  int fd_;
};

}  // namespace

EmbeddingCache::EmbeddingCache(const std::string& identity, int embedding_size)
    : path_(identity.empty() ? std::string() : user_cache("text/" + identity)),
      width_(static_cast<std::size_t>(embedding_size)) {
  if (!path_.empty()) load();
}

void EmbeddingCache::load() {
  LockedFile lock(path_, O_RDWR);
  if (!lock.is_open()) return;  // missing or locked: the cache starts empty
  const Result<MappedFile> file = MappedFile::open(path_, 2 * kMaxCacheFile);
  if (!file) return;
  std::string_view rest = file->bytes();
  bool sound = rest.starts_with(header(width_));
  if (sound) rest.remove_prefix(kHeader);
  const std::size_t fixed = 2 * sizeof(std::uint32_t) + width_ * sizeof(float);
  while (sound && !rest.empty()) {
    const std::size_t length = rest.size() >= fixed ? get(rest) : kMaxText + 1;
    sound = length <= kMaxText && rest.size() >= fixed + length;
    if (!sound) break;
    const std::size_t checked = fixed + length - sizeof(std::uint32_t);
    sound = crc32(rest.substr(0, checked)) == get(rest.substr(checked));
    if (!sound) break;
    const std::string_view text = rest.substr(sizeof(std::uint32_t), length);
    if (row_of_.emplace(text, row_of_.size()).second) {
      const std::size_t at = rows_.size();
      rows_.resize(at + width_);
      std::memcpy(rows_.data() + at, rest.data() + sizeof(std::uint32_t) + length, width_ * sizeof(float));
    }
    rest.remove_prefix(fixed + length);
  }
  if (sound) return;
  const std::size_t good = file->bytes().size() - rest.size();
  lock.cut(good >= kHeader ? good : 0);
}

std::span<const float> EmbeddingCache::find(const std::string& text) const {
  const auto found = row_of_.find(text);
  if (found == row_of_.end()) return {};
  return std::span(rows_).subspan(found->second * width_, width_);
}

bool EmbeddingCache::is_large() const {
  return rows_.size() * sizeof(float) > kMaxCacheFile;
}

void EmbeddingCache::add(std::span<const std::string> texts, const TextMatrix& rows) {
  std::string records;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    if (!row_of_.emplace(text, row_of_.size()).second) continue;
    const float* const row = rows.data() + i * width_;
    rows_.insert(rows_.end(), row, row + width_);
    if (text.size() > kMaxText) continue;  // cached in memory only
    std::string record;
    put(record, static_cast<std::uint32_t>(text.size()));
    record += text;
    record.append(reinterpret_cast<const char*>(row), width_ * sizeof(float));
    put(record, crc32(record));
    records += record;
  }
  if (path_.empty() || records.empty()) return;
  LockedFile file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.is_open()) return;
  if (file.size() > kMaxCacheFile) file.cut(0);
  file.append(file.size() == 0 ? header(width_) + records : records);
}

}  // namespace bcp::clip

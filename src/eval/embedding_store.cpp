// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The file `pictures`: "BCPPICT1", the SHA-256 of the identity (64 hexadecimal digits), the width (uint32), CRC-32 of
// the header (uint32); then records of one length: the picture's key (32 hexadecimal digits), its embedding (float32),
// CRC-32 of both (uint32). Little-endian. A record with a key of zeros is unused: it was found damaged. An incomplete
// record at the end was cut while it was written, and is overwritten.
#include "eval/embedding_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/crc32.hpp"
#include "base/file.hpp"
#include "base/npy.hpp"
#include "base/sha256.hpp"

namespace bcp::eval {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written in the byte order of this machine");

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "BCPPICT1";
constexpr std::size_t kIdentity = 64, kKey = 32, kSum = sizeof(std::uint32_t);
constexpr std::size_t kHeader = kMagic.size() + kIdentity + sizeof(std::uint32_t) + kSum;
constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr const char *kRecordsFile = "pictures", *kArrayFile = "embeddings.npy", *kNamesFile = "pictures.txt";

void seal(std::string& bytes) {
  const std::uint32_t sum = crc32(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

bool is_sealed(std::string_view bytes) {
  const std::uint32_t sum = crc32(bytes.substr(0, bytes.size() - kSum));
  return std::memcmp(bytes.data() + bytes.size() - kSum, &sum, kSum) == 0;
}

std::string key_of(const PictureState& picture) {
  const Result<std::string> sum =
      sha256(picture.name + "\n" + std::to_string(picture.size) + "\n" + std::to_string(picture.changed));
  return sum ? sum->substr(0, kKey) : std::string();
}

const std::string& no_key() {
  static const std::string zeros(kKey, '\0');
  return zeros;
}

}  // namespace

Result<PictureState> PictureState::of(const std::string& name, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return system_error("cannot open", path, errno);
  return PictureState{name, static_cast<std::uint64_t>(info.st_size),
                      std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

// During its lifetime, no other process reads or writes the records.
class EmbeddingStore::Lock {
 public:
  explicit Lock(const Descriptor& file) : fd_(file.get()) {
    int locked = 0;
    do locked = ::flock(fd_, LOCK_EX);
    while (locked != 0 && errno == EINTR);
    is_held_ = locked == 0;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (is_held_) ::flock(fd_, LOCK_UN);
  }
  bool is_held() const { return is_held_; }

 private:
  int fd_;
  bool is_held_ = false;
};

EmbeddingStore::EmbeddingStore(std::string folder, std::size_t width, Descriptor file)
    : folder_(std::move(folder)), width_(width), record_(kKey + width * sizeof(float) + kSum), file_(std::move(file)) {}

Error EmbeddingStore::failed(const char* what) const {
  Error error = system_error(what, path_of(kRecordsFile), errno);
  error.message += "; set --cache to another folder, or fix this one";
  return error;
}

Result<EmbeddingStore> EmbeddingStore::open(const std::string& folder, const std::string& identity, std::size_t width) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault)
    return Error{ErrorCode::kRuntime,
                 "cannot create the folder " + folder + ": " + fault.message() + "; set --cache to another folder"};
  const Result<std::string> sum = sha256(identity);
  if (!sum) return sum.error();
  std::string header = std::string(kMagic) + *sum;
  const auto narrow = static_cast<std::uint32_t>(width);
  header.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  seal(header);

  const std::string path = folder + "/" + kRecordsFile;
  EmbeddingStore store(folder, width,
                       Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)));
  if (!store.file_.is_open()) return store.failed("cannot open");
  if (const Status loaded = store.load(header); !loaded) return loaded.error();
  return store;
}

Status EmbeddingStore::load(const std::string& header) {
  const Lock lock(file_);
  struct stat info {};
  if (!lock.is_held() || ::fstat(file_.get(), &info) != 0) return failed("cannot lock");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kInvalid, path_of(kRecordsFile) + " is not a file: set --cache to another folder"};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::string found(kHeader, '\0');
  if (size < kHeader || !file_.read_at(found.data(), found.size(), 0)) found.clear();
  if (found == header) return load_records((size - kHeader) / record_);
  if (size > 0) note_ = "the cache " + path_of(kRecordsFile) + " was damaged: its pictures are encoded again";
  return begin_anew(header);
}

Status EmbeddingStore::begin_anew(const std::string& header) {
  if (::ftruncate(file_.get(), 0) != 0 || !file_.write_at(header.data(), header.size(), 0))
    return failed("cannot write");
  return ok();
}

Status EmbeddingStore::load_records(std::uint64_t count) {
  const std::size_t at_once = std::max<std::size_t>(kBuffer / record_, 1);
  std::string blank(record_ - kSum, '\0');
  seal(blank);
  std::size_t damaged = 0;
  std::string bytes;
  for (std::uint64_t first = 0; first < count; first += at_once) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, count - first));
    bytes.resize(some * record_);
    if (!file_.read_at(bytes.data(), bytes.size(), kHeader + first * record_)) return failed("cannot read");
    for (std::size_t i = 0; i < some; ++i) {
      const std::string_view record = std::string_view(bytes).substr(i * record_, record_);
      if (!is_sealed(record)) {
        ++damaged;
        if (!file_.write_at(blank.data(), blank.size(), kHeader + (first + i) * record_)) return failed("cannot write");
      } else if (record.substr(0, kKey) != no_key()) {
        record_of_[std::string(record.substr(0, kKey))] = first + i;
      }
    }
  }
  if (damaged > 0)
    note_ = std::to_string(damaged) + " of " + std::to_string(count) + " embeddings in the cache " +
            path_of(kRecordsFile) + " were damaged: their pictures are encoded again";
  return ok();
}

bool EmbeddingStore::has(const PictureState& picture) const {
  return record_of_.contains(key_of(picture));
}

Status EmbeddingStore::add(const PictureState& picture, std::span<const float> embedding) {
  std::string record = key_of(picture);
  record.append(reinterpret_cast<const char*>(embedding.data()), embedding.size_bytes());
  seal(record);
  const Lock lock(file_);
  struct stat info {};
  if (!lock.is_held() || ::fstat(file_.get(), &info) != 0) return failed("cannot lock");
  if (static_cast<std::size_t>(info.st_size) < kHeader)
    return Error{ErrorCode::kRuntime,
                 path_of(kRecordsFile) + " was emptied during this run: do not change it, and run the command again"};
  const std::uint64_t number = (static_cast<std::uint64_t>(info.st_size) - kHeader) / record_;
  if (!file_.write_at(record.data(), record.size(), kHeader + number * record_)) return failed("cannot write");
  record_of_[record.substr(0, kKey)] = number;
  return ok();
}

Status EmbeddingStore::write_array(std::span<const PictureState> pictures) const {
  Result<NpyWriter> array = NpyWriter::create(path_of(kArrayFile), NpyType::kFloat32, {pictures.size(), width_});
  if (!array) return array.error();
  std::string record(record_, '\0'), names;
  std::vector<float> narrow(width_);
  std::vector<double> row(width_);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string key = key_of(pictures[i]);
    const std::uint64_t number = record_of_.at(key);
    if (!file_.read_at(record.data(), record.size(), kHeader + number * record_) || !is_sealed(record) ||
        !record.starts_with(key))
      return Error{ErrorCode::kRuntime,
                   path_of(kRecordsFile) + " was changed during this run: do not change it, and run the command again"};
    std::memcpy(narrow.data(), record.data() + kKey, width_ * sizeof(float));
    std::copy(narrow.begin(), narrow.end(), row.begin());
    if (Status written = array->row(i, row); !written) return written;
    names += pictures[i].name + "\n";
  }
  if (Status finished = array->finish(); !finished) return finished;
  return replace_file(path_of(kNamesFile), names, Durability::kNone);
}

Result<Stream> EmbeddingStore::stream(std::span<const PictureState> pictures, clip::TextMatrix text, double scale) {
  // Held until the array is open: another process may replace it.
  const Lock lock(file_);
  if (!lock.is_held()) return failed("cannot lock");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (entry.path().extension() == ".tmp") fs::remove(entry.path(), ignored);  // of a killed process
  if (const Status written = write_array(pictures); !written) return written.error();
  return Stream::open(path_of(kArrayFile), std::move(text), scale);
}

}  // namespace bcp::eval

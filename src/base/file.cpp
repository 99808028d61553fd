// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/leftovers.hpp"

namespace bcp {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::string_view kTemporary = ".tmp";
constexpr std::time_t kLeftover = 60;  // seconds: a temporary file of a running process is locked long before

// A new file in the same directory, with a name unique among threads and processes. Uses open() because mkstemp() would
// ignore the user's umask.
Descriptor make_temporary(const std::string& path, std::string& name) {
  static std::atomic<unsigned> counter{0};
  int fd = -1;
  do {
    name = path + "." + std::to_string(::getpid()) + "." + std::to_string(counter++);
    name += kTemporary;
    fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  // While it is open, remove_leftovers() of another process keeps it. A file system without locks: kept too.
  if (fd >= 0) (void)::flock(fd, LOCK_EX | LOCK_NB);
  return Descriptor(fd);
}

// Whether `name` is that of a temporary file for `path`: "path.PID.NUMBER.tmp".
bool is_temporary_of(const std::string& name, const std::string& path) {
  if (name.size() < path.size() + kTemporary.size() || !name.starts_with(path + ".") || !name.ends_with(kTemporary))
    return false;
  const std::string_view numbers =
      std::string_view(name).substr(path.size(), name.size() - path.size() - kTemporary.size());
  return numbers.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(numbers.begin(), numbers.end(), '.') == 2;
}

// Whether no process writes to it any more.
bool is_left_over(const std::string& name) {
  const Descriptor fd(::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  return fd.is_open() && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) &&
         std::time(nullptr) - info.st_mtime > kLeftover && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

// Replacing a device or a pipe would turn it into a file. Checks `path` and not its target: the target of /dev/stdout
// is not a file name if it is a pipe.
Status check_is_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return ok();
  return Error{ErrorCode::kInvalid, "cannot write " + path + ": it is " +
                                        (S_ISDIR(info.st_mode) ? "a directory" : "a device, a pipe or a socket") +
                                        "; name a regular file"};
}

bool keep_permissions(int fd, const std::string& of) {
  struct stat info {};
  return ::stat(of.c_str(), &info) != 0 || ::fchmod(fd, info.st_mode & 07777) == 0;
}

}  // namespace

Status read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  // O_NONBLOCK: opening a FIFO would wait for a writer, and some callers must not block.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return system_error("cannot open", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0 && S_ISFIFO(info.st_mode))
    return Error{ErrorCode::kInvalid, "cannot read " + path + ": it is a pipe; save its data to a file first"};
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t count = ::read(fd.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read", path, errno);
    if (count == 0 || !take({piece.data(), static_cast<std::size_t>(count)})) return ok();
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  std::string bytes;
  bool fits = true;
  const Status read = read_pieces(path, [&](std::string_view piece) {
    fits = piece.size() <= limit - bytes.size();
    if (fits) bytes += piece;
    return fits;
  });
  if (!read) return read.error();
  if (!fits)
    return Error{ErrorCode::kInvalid, path + " is longer than the " + std::to_string(limit) +
                                          " bytes allowed for this kind of file: check the path"};
  return bytes;
}

void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.is_open()) (void)::fsync(fd.get());
}

Status make_folders(const std::string& path) {
  std::error_code fault;
  std::vector<std::string> missing;
  for (std::filesystem::path at = std::filesystem::absolute(path, fault).lexically_normal();
       !at.empty() && !std::filesystem::exists(at, fault); at = at.parent_path())
    if (at.has_filename()) missing.push_back(at.string());
  std::filesystem::create_directories(path, fault);
  if (fault) return Error{ErrorCode::kRuntime, "cannot create " + path + ": " + fault.message()};
  for (const std::string& folder : missing) sync_folder_of(folder);
  return ok();
}

std::string target_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // the limit of Linux
  std::error_code fault;
  std::filesystem::path target = path;
  // Not canonical(): it stops at a link to a file that does not exist yet.
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target, fault); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, fault);
    if (fault) return path;
    target = target.parent_path() / next;
  }
  // Absolute first: weakly_canonical() leaves a relative name unchanged until the file exists.
  target = std::filesystem::absolute(target, fault);
  if (!fault) target = std::filesystem::weakly_canonical(target, fault);
  return fault ? path : target.string();
}

Status check_replaceable(const std::string& path) {
  const std::string target = target_of(path);
  if (Status file = check_is_file(path); !file) return file;
  std::string temporary;
  const Descriptor fd = make_temporary(target, temporary);
  if (!fd.is_open()) return system_error("cannot write", path, errno);
  ::unlink(temporary.c_str());
  return ok();
}

void remove_leftovers(const std::string& path) {
  const std::string target = target_of(path);
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(std::filesystem::path(target).parent_path(), fault), end;
       !fault && entry != end; entry.increment(fault)) {
    const std::string name = entry->path().string();
    if (is_temporary_of(name, target) && is_left_over(name)) ::unlink(name.c_str());
  }
}

Replacement::Replacement(std::string path, std::string target, std::string temporary, Descriptor file)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)), file_(std::move(file)) {}

Replacement::Replacement(Replacement&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

Replacement& Replacement::operator=(Replacement&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(file_, other.file_);
  return *this;
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<Replacement> Replacement::begin(const std::string& path) {
  std::string target = target_of(path);
  if (Status file = check_is_file(path); !file) return file.error();
  std::string temporary;
  Descriptor fd = make_temporary(target, temporary);
  if (!fd.is_open()) return system_error("cannot write", path, errno);
  return Replacement(path, std::move(target), std::move(temporary), std::move(fd));
}

Status Replacement::commit(Durability durability) {
  const bool sync = durability == Durability::kPowerLoss;
  const bool placed = keep_permissions(file_.get(), target_) && (!sync || ::fsync(file_.get()) == 0) && file_.close() &&
                      ::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!placed) return system_error("cannot write", path_, errno);
  temporary_.clear();
  if (sync) sync_folder_of(target_);
  return ok();
}

Status replace_file(const std::string& path, std::string_view bytes, Durability durability) {
  Result<Replacement> file = Replacement::begin(path);
  if (!file) return file.error();
  if (!file->descriptor().write_at(bytes.data(), bytes.size(), 0)) return system_error("cannot write", path, errno);
  return file->commit(durability);
}

}  // namespace bcp

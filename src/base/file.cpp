// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace bcp {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // A full network disk may say so only here.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

Error failed(const std::string& what, const std::string& path, int number) {
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kRuntime;
  return Error{code, what + " " + path + ": " + std::generic_category().message(number)};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A rename is only as durable as the directory that records it. Some file systems cannot sync a directory: no matter.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor fd(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.is_open()) (void)::fsync(fd.get());
}

// A new file beside `path`, named so that neither another thread nor another process picks the same. Made by open()
// and not mkstemp(), which would give it permissions of its own instead of the user's usual ones.
Descriptor make_temporary(const std::string& path, std::string& name) {
  static std::atomic<unsigned> counter{0};
  int fd = -1;
  do {
    name = path + "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
    fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  return Descriptor(fd);
}

// A device or a pipe would be gone, and a file in its place.
Status check_is_file(const std::string& path, const std::string& target) {
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return ok();
  return Error{ErrorCode::kInvalid, "cannot write " + path + ": it is " +
                                        (S_ISDIR(info.st_mode) ? "a directory" : "a device, a pipe or a socket") +
                                        ", and would be replaced by a file"};
}

bool keep_permissions(int fd, const std::string& of) {
  struct stat info {};
  return ::stat(of.c_str(), &info) != 0 || ::fchmod(fd, info.st_mode & 07777) == 0;
}

}  // namespace

Status read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  // Not blocking, because opening a FIFO would wait for somebody to write to it, and some callers may not wait.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return failed("cannot open", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0 && S_ISFIFO(info.st_mode))
    return Error{ErrorCode::kInvalid, "cannot read " + path + ": it is a pipe; write what it gives to a file first"};
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t count = ::read(fd.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot read", path, errno);
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
    return Error{ErrorCode::kInvalid,
                 path + " is longer than the " + std::to_string(limit) + " bytes such a file may have: check the path"};
  return bytes;
}

std::string target_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code fault;
  std::filesystem::path target = path;
  // By itself: canonical() stops at a link to a file that is not there yet.
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target, fault); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, fault);
    if (fault) return path;
    target = target.parent_path() / next;
  }
  // Absolute first: weakly_canonical() leaves a relative name as it is while there is no such file, and not after.
  target = std::filesystem::absolute(target, fault);
  if (!fault) target = std::filesystem::weakly_canonical(target, fault);
  return fault ? path : target.string();
}

Status check_replaceable(const std::string& path) {
  const std::string target = target_of(path);
  if (Status file = check_is_file(path, target); !file) return file;
  std::string temporary;
  const Descriptor fd = make_temporary(target, temporary);
  if (!fd.is_open()) return failed("cannot write", path, errno);
  ::unlink(temporary.c_str());
  return ok();
}

Status replace_file(const std::string& path, std::string_view bytes, Durability durability) {
  const bool sync = durability == Durability::kPowerLoss;
  const std::string target = target_of(path);
  if (Status file = check_is_file(path, target); !file) return file;
  std::string temporary;
  Descriptor fd = make_temporary(target, temporary);
  if (!fd.is_open()) return failed("cannot write", path, errno);
  const bool written = write_all(fd.get(), bytes) && keep_permissions(fd.get(), target) &&
                       (!sync || ::fsync(fd.get()) == 0) && fd.close() &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    return failed("cannot write", path, reason);
  }
  if (sync) sync_directory(std::filesystem::path(target).parent_path());
  return ok();
}

}  // namespace bcp

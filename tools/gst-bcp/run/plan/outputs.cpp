// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/outputs.hpp"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

// Parts on disk, for discard_all_parts().
struct Parts {
  std::mutex mutex;
  std::set<std::string> names;
};

Parts& parts() {
  static Parts all;
  return all;
}

Error refused(const std::string& path, int cause) {
  const std::string folder = fs::path(path).parent_path().empty() ? "." : fs::path(path).parent_path().string();
  std::error_code ignored;
  if (cause == ENOENT && fs::is_directory(folder, ignored)) cause = EPERM;  // as /proc answers
  switch (cause) {
    case ENOENT:
      return {ErrorCode::kNotFound, "there is no folder " + folder + " to write " + path + " to: create it (mkdir -p)"};
    case ENOTDIR:
      return {ErrorCode::kInvalid, folder + " is no folder, so " + path + " cannot be in it: choose another place"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::kInvalid, path + " cannot be made: the folder " + folder + " may not be written to (" +
                                       std::strerror(cause) + "); choose another place or change its permissions"};
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::kRuntime, path + " cannot be made: the disk is full; free some space"};
    case ENAMETOOLONG:
      return {ErrorCode::kInvalid, path + " cannot be made: its name is too long; choose a shorter one"};
    default:
      return {ErrorCode::kRuntime, path + " cannot be made: " + std::strerror(cause)};
  }
}

// The file that is written when `path` is: a symbolic link is followed, so that it stays one.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

Status OutputFile::check(const std::string& given, const Rules& rules) {
  const std::string path = target_of(given);
  if (g_utf8_validate(path.c_str(), -1, nullptr) == FALSE)
    return Error{ErrorCode::kInvalid, path + " cannot be made: its name is not UTF-8; choose another one"};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno == ENOENT ? ok() : Status(refused(path, errno));
  if (S_ISDIR(status.st_mode)) return Error{ErrorCode::kInvalid, path + " is a folder: give the name of a file in it"};
  if (!S_ISREG(status.st_mode)) return ok();
  for (const std::string& input : rules.inputs) {
    std::error_code ignored;
    if (fs::equivalent(path, input, ignored))
      return Error{ErrorCode::kInvalid, path + " is an input and is not written to: choose another name"};
  }
  if (!rules.force)
    return Error{ErrorCode::kInvalid, path + " is there already: choose another name, or add --force to replace it"};
  return ok();
}

Result<OutputFile> OutputFile::claim(const std::string& given, const Rules& rules) {
  if (const Status fit = check(given, rules); !fit) return fit.error();
  OutputFile file;
  file.path_ = target_of(given);
  const std::string& path = file.path_;
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    file.part_ = path;
    return file;
  }
  const fs::path where(path);
  std::string hidden(1, '.');
  hidden.append(where.filename().string()).append(".").append(std::to_string(::getpid())).append(".part");
  const std::string part = (where.parent_path() / hidden).lexically_normal().string();
  {
    const std::lock_guard lock(parts().mutex);
    if (parts().names.contains(part))
      return Error{ErrorCode::kInvalid, path + " would be made twice: give each file a name of its own"};
  }
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return refused(path, errno);
  ::close(fd);
  file.part_ = part;
  {
    const std::lock_guard lock(parts().mutex);
    parts().names.insert(part);
  }
  return file;
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  path_ = std::exchange(other.path_, {});
  part_ = std::exchange(other.part_, {});
  asides_ = std::exchange(other.asides_, {});
  return *this;
}

std::string OutputFile::aside(const std::string& ending) {
  const std::lock_guard lock(parts().mutex);
  asides_.push_back(part_ + ending);
  parts().names.insert(asides_.back());
  return asides_.back();
}

Status OutputFile::commit() {
  if (part_ != path_) {
    // What the name promises must be on the disk before the name is.
    const int fd = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL);
    const int cause = errno;
    if (fd >= 0) ::close(fd);
    if (!synced) return refused(path_, cause);
    const std::lock_guard lock(parts().mutex);
    if (!parts().names.contains(part_)) return refused(path_, ECANCELED);
    if (std::rename(part_.c_str(), path_.c_str()) != 0) return refused(path_, errno);
    parts().names.erase(part_);
  }
  forget();
  return ok();
}

void OutputFile::discard() {
  if (!path_.empty() && part_ != path_) {
    const std::lock_guard lock(parts().mutex);
    if (parts().names.erase(part_) > 0) ::unlink(part_.c_str());
  }
  forget();
}

void OutputFile::forget() {
  const std::lock_guard lock(parts().mutex);
  for (const std::string& aside : asides_)
    if (parts().names.erase(aside) > 0) ::unlink(aside.c_str());
  asides_.clear(), path_.clear(), part_.clear();
}

void discard_all_parts() {
  const std::lock_guard lock(parts().mutex);
  for (const std::string& part : parts().names) ::unlink(part.c_str());
  parts().names.clear();
}

}  // namespace bcp::cli::run

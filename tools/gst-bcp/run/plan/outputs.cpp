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

#include "base/file.hpp"
#include "gst-bcp/run/plan/leftover.hpp"

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

// Temporary files on disk, for discard_all_parts().
struct Parts {
  std::mutex mutex;
  std::set<std::string> names;  // of parts, what is aside, and locks
  std::set<std::string> kept;   // of these, parts that are not removed
};

Parts& parts() {
  static Parts all;
  return all;
}

// Folders that were created here.
struct Folders {
  std::mutex mutex;             // also held during a claim, which needs its folder. Taken before Parts'
  std::set<std::string> names;  // parents come before their children

  // With the mutex held. A folder that is not empty stays.
  void remove_empty() {
    for (auto folder = names.rbegin(); folder != names.rend(); ++folder) ::rmdir(folder->c_str());
  }
};

Folders& folders() {
  static Folders all;
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
      return {ErrorCode::kInvalid,
              folder + " is not a folder, so " + path + " cannot be written: choose another folder"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::kInvalid, path + " cannot be written: the folder " + folder + " is not writable (" +
                                       std::strerror(cause) + "); choose another folder or change its permissions"};
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::kRuntime, path + " cannot be written: the disk is full; free some space"};
    case ENAMETOOLONG:
      return {ErrorCode::kInvalid, path + " cannot be written: its name is too long; choose a shorter one"};
    default:
      return {ErrorCode::kRuntime, path + " cannot be written: " + std::strerror(cause)};
  }
}

// Creates the folder of `path` with its parents. REQUIRES: the mutex of folders() is held.
Status make_folder(const std::string& path) {
  fs::path missing = fs::path(path).parent_path();
  std::vector<std::string> chain;
  for (std::error_code none; !missing.empty() && !fs::exists(missing, none); missing = missing.parent_path())
    chain.insert(chain.begin(), missing.string());
  for (const std::string& folder : chain) {
    if (::mkdir(folder.c_str(), 0777) == 0)
      folders().names.insert(folder);
    else if (errno != EEXIST)
      return refused(folder, errno);
  }
  return ok();
}

// A hidden name beside `path`.
std::string hidden_name(const std::string& path, const std::string& ending) {
  const fs::path where(path);
  std::string hidden(1, '.');
  hidden.append(where.filename().string()).append(ending);
  return (where.parent_path() / hidden).lexically_normal().string();
}

// The file to write for `path`: a symbolic link is followed, so that it stays a link.
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
    return Error{ErrorCode::kInvalid, path + " cannot be written: its name is not UTF-8; choose another one"};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno == ENOENT ? ok() : Status(refused(path, errno));
  if (S_ISDIR(status.st_mode)) return Error{ErrorCode::kInvalid, path + " is a folder: give the name of a file in it"};
  if (!S_ISREG(status.st_mode)) return ok();
  for (const std::string& input : rules.inputs) {
    std::error_code ignored;
    if (fs::equivalent(path, input, ignored))
      return Error{ErrorCode::kInvalid, path + " is an input and is not overwritten: choose another name"};
  }
  if (!rules.force)
    return Error{ErrorCode::kInvalid, path + " already exists: choose another name, or add --force to replace it"};
  return ok();
}

Result<OutputFile> OutputFile::claim(const std::string& given, const Rules& rules) {
  if (const Status fit = check(given, rules); !fit) return fit.error();
  OutputFile file;
  const std::lock_guard claiming(folders().mutex);  // dropped before `file` is, which takes it
  file.path_ = target_of(given);
  const std::string& path = file.path_;
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    file.part_ = path;
    return file;
  }
  if (rules.make_folder)
    if (const Status made = make_folder(path); !made) return made.error();
  std::string part = hidden_name(path, ".part");
  const std::string lock_name = hidden_name(path, ".lock");
  {
    const std::lock_guard lock(parts().mutex);
    if (parts().names.contains(lock_name) || parts().names.contains(part))
      return Error{ErrorCode::kInvalid, path + " would be written twice: give each file its own name"};
  }
  switch (file.lock_.take(lock_name)) {
    case FileLock::Outcome::kHeld:
      break;
    case FileLock::Outcome::kBusy:
      return Error{ErrorCode::kInvalid,
                   path + " is being written by another gst-bcp run: wait for it, or choose another name"};
    case FileLock::Outcome::kUnsupported:
      part = hidden_name(
          path,
          std::string(".").append(std::to_string(::getpid())).append(".part"));  // so that at least two runs do not mix
      break;
    case FileLock::Outcome::kRefused:
      return refused(path, errno);
  }
  // Another run may have just written it.
  if (const Status fit = check(given, rules); !fit) return fit.error();
  if (rules.keep_parts && fs::exists(part, ignored))
    if (const std::optional<Leftover> left = keep_leftover(part, path))
      file.news_ = "an earlier run was stopped while it wrote " + path + "; its first " + described(*left);
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return refused(path, errno);
  ::close(fd);
  file.part_ = part;
  file.keeps_part_ = rules.keep_parts;
  if (rules.keep_parts) sync_folder_of(part);
  {
    const std::lock_guard lock(parts().mutex);
    parts().names.insert(part);
    if (rules.keep_parts) parts().kept.insert(part);
    if (!file.lock_.path().empty()) parts().names.insert(file.lock_.path());
  }
  return file;
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  path_ = std::exchange(other.path_, {});
  part_ = std::exchange(other.part_, {});
  news_ = std::exchange(other.news_, {});
  keeps_part_ = std::exchange(other.keeps_part_, false);
  asides_ = std::exchange(other.asides_, {});
  lock_ = std::move(other.lock_);
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
    // The contents must be on the disk before the name is.
    const int fd = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL);
    const int cause = errno;
    if (fd >= 0) ::close(fd);
    if (!synced) return refused(path_, cause);
    {
      const std::lock_guard lock(parts().mutex);
      if (!parts().names.contains(part_)) return refused(path_, ECANCELED);
      if (std::rename(part_.c_str(), path_.c_str()) != 0) return refused(path_, errno);
      parts().names.erase(part_);
      parts().kept.erase(part_);
    }
    if (keeps_part_) sync_folder_of(path_);
  }
  forget();
  return ok();
}

void OutputFile::discard() {
  if (!path_.empty() && part_ != path_) {
    const std::lock_guard lock(parts().mutex);
    const bool is_there = parts().names.erase(part_) > 0;
    parts().kept.erase(part_);
    news_.clear();
    if (is_there && !keeps_part_) {
      ::unlink(part_.c_str());
    } else if (is_there) {
      if (const std::optional<Leftover> left = keep_leftover(part_, path_)) news_ = "the first " + described(*left);
    }
  }
  forget();
}

void OutputFile::forget() {
  if (path_.empty()) return;
  const std::lock_guard claiming(folders().mutex);
  const std::lock_guard lock(parts().mutex);
  for (const std::string& aside : asides_)
    if (parts().names.erase(aside) > 0) ::unlink(aside.c_str());
  parts().names.erase(lock_.path());
  lock_.release();
  folders().remove_empty();
  asides_.clear(), path_.clear(), part_.clear();
}

void discard_all_parts() {
  const std::lock_guard lock(parts().mutex);
  for (const std::string& part : parts().names)
    if (!parts().kept.contains(part)) ::unlink(part.c_str());
  parts().names.clear();
  if (const std::unique_lock claiming(folders().mutex, std::try_to_lock); claiming) folders().remove_empty();
}

}  // namespace bcp::cli::run

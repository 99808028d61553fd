// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/line_writer.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace bcp {
namespace {

// Keeps a failed write from ending the process: blocks SIGPIPE (closed pipe) and SIGXFSZ (file size limit) in this
// thread, and removes the signal if the write raised it. A signal that was pending before stays pending.
class QuietFailure {
 public:
  QuietFailure() {
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGPIPE);
    sigaddset(&quiet, SIGXFSZ);
    sigemptyset(&pending_);
    sigpending(&pending_);
    pthread_sigmask(SIG_BLOCK, &quiet, &before_);
  }
  QuietFailure(const QuietFailure&) = delete;
  QuietFailure& operator=(const QuietFailure&) = delete;
  ~QuietFailure() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Call after a failed write with its errno.
  void after(int cause) {
    const int signal = cause == EPIPE ? SIGPIPE : cause == EFBIG ? SIGXFSZ : 0;
    if (signal == 0 || sigismember(&pending_, signal) == 1) return;
    sigset_t raised;
    sigemptyset(&raised);
    sigaddset(&raised, signal);
    const timespec at_once{};
    while (sigtimedwait(&raised, nullptr, &at_once) == -1 && errno == EINTR) {
    }
  }

 private:
  sigset_t pending_, before_;
};

// Closes a descriptor unless it was released.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string shown(const std::string& location) {
  return location == "-" ? "standard output" : "'" + location + "'";
}

Error open_error(const std::string& location, int cause) {
  const std::string what = "Cannot write to " + shown(location) + ": ";
  switch (cause) {
    case ENOENT:
      return {ErrorCode::kNotFound, what + "its directory does not exist; create it or choose another location."};
    case EISDIR:
      return {ErrorCode::kInvalid, what + "it is a directory; give the name of a file in it."};
    case ENXIO:
      return {ErrorCode::kNotFound, what + "this FIFO has no reader; start the reader first."};
    default:
      return {ErrorCode::kInvalid, what + std::system_category().message(cause) + "; choose a writable location."};
  }
}

Error write_error(const std::string& location, int cause) {
  const std::string what = "Cannot write results to " + shown(location) + ": ";
  const std::string on = " Results are lost until then; the video continues.";
  switch (cause) {
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::kRuntime, what + "the disk is full; make room and writing resumes." + on};
    case EPIPE:
      return {ErrorCode::kRuntime, what + "its reader has gone; restart the reader and this pipeline." + on};
    case ECANCELED:
      return {ErrorCode::kRuntime,
              what + "its reader was too slow, and a stop or a seek ended the wait; that result is lost."};
    default:
      return {ErrorCode::kRuntime,
              what + std::system_category().message(cause) + "; writing resumes once this is fixed." + on};
  }
}

// Whether a file of `size` bytes ends inside a line, as after a crash. False if the file cannot be read.
bool ends_inside_a_line(const std::string& location, off_t size) {
  if (size == 0) return false;
  const Fd file(::open(location.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char last = '\n';
  return file.get() >= 0 && ::pread(file.get(), &last, 1, size - 1) == 1 && last != '\n';
}

int lock_file(int fd) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

// The right to write to a file, registered in a table of this process.
class LineWriter::Claim {
 public:
  // Returns the claim, or null and the name of the present owner in `holder`.
  static std::unique_ptr<Claim> take(const struct stat& file, std::string owner, std::string& holder) {
    const Key key(file.st_dev, file.st_ino);
    std::lock_guard lock(mutex());
    const auto entry = table().find(key);
    if (entry == table().end()) {
      table().emplace(key, std::move(owner));
      return std::unique_ptr<Claim>(new Claim(key));
    }
    holder = entry->second;
    return nullptr;
  }
  ~Claim() {
    std::lock_guard lock(mutex());
    table().erase(key_);
  }

 private:
  using Key = std::pair<dev_t, ino_t>;

  explicit Claim(Key key) : key_(key) {}
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static std::map<Key, std::string>& table() {
    static std::map<Key, std::string> t;
    return t;
  }

  const Key key_;
};

Result<std::unique_ptr<LineWriter>> LineWriter::open(const std::string& location, Start start, std::string owner) {
  if (location.empty()) {
    return Error{ErrorCode::kInvalid, "No location to write to: set location to a file, or to - for standard output."};
  }
  // O_NONBLOCK: a FIFO without a reader fails instead of waiting. No O_TRUNC: another writer may own the file.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const bool standard_output = location == "-";
  Fd fd(standard_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(location.c_str(), kFlags, 0666));
  if (fd.get() < 0) return open_error(location, errno);
  if (!standard_output) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);

  struct stat file;
  if (::fstat(fd.get(), &file) != 0) return open_error(location, errno);
  const bool regular = S_ISREG(file.st_mode);
  const bool keeps_nothing = S_ISCHR(file.st_mode) && ::isatty(fd.get()) == 0;

  std::unique_ptr<Claim> claim;
  if (!keeps_nothing) {
    std::string holder;
    claim = Claim::take(file, std::move(owner), holder);
    if (!claim) {
      return Error{ErrorCode::kInvalid, "Cannot write to " + shown(location) + ": " + holder +
                                            " already writes there; give each publisher its own location."};
    }
  }
  if (regular && !standard_output) {
    // A file system without locks is used without one.
    if (lock_file(fd.get()) == EWOULDBLOCK) {
      return Error{ErrorCode::kInvalid, "Cannot write to " + shown(location) +
                                            ": another process already writes there (fuser shows which one); give each "
                                            "publisher its own location."};
    }
    if (start == Start::kTruncate && ::ftruncate(fd.get(), 0) != 0) return open_error(location, errno);
  }

  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake.get() < 0) return open_error(location, errno);
  std::unique_ptr<LineWriter> writer(
      new LineWriter(location, fd.release(), wake.release(), regular, !standard_output, std::move(claim)));
  if (regular && !standard_output && start == Start::kAppend) {
    writer->cut_ = ends_inside_a_line(location, file.st_size);
  }
  return writer;
}

LineWriter::LineWriter(std::string location, int fd, int wake, bool regular, bool ours, std::unique_ptr<Claim> claim)
    : location_(std::move(location)), fd_(fd), wake_(wake), regular_(regular), ours_(ours), claim_(std::move(claim)) {}

LineWriter::~LineWriter() {
  ::close(fd_);  // also releases the file lock; standard output stays open (fd_ is a duplicate)
  ::close(wake_);
}

Status LineWriter::write(std::string_view line) {
  buffer_.clear();
  if (cut_) buffer_ += '\n';
  buffer_ += line;
  buffer_ += '\n';

  std::size_t written = 0;
  const int cause = put(buffer_, written);
  if (cause == 0) {
    cut_ = false;
    return ok();
  }
  if (written > 0) {
    // Standard output is not truncated: others write to it too, and its position would stay behind the new end.
    struct stat file;
    const bool undone = regular_ && ours_ && ::fstat(fd_, &file) == 0 && file.st_size >= static_cast<off_t>(written) &&
                        ::ftruncate(fd_, file.st_size - static_cast<off_t>(written)) == 0;
    if (!undone) cut_ = buffer_[written - 1] != '\n';
  }
  return write_error(location_, cause);
}

void LineWriter::cancel() {
  const std::uint64_t one = 1;
  // Fails only if the counter is full; wake_ is readable then.
  [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof(one));
}

void LineWriter::resume() {
  std::uint64_t count = 0;
  // Fails only if cancel() was not called.
  [[maybe_unused]] const ssize_t n = ::read(wake_, &count, sizeof(count));
}

// Writes all of `bytes`. Returns 0 or an errno; `written` is the number of bytes written.
int LineWriter::put(std::string_view bytes, std::size_t& written) {
  QuietFailure quiet;
  while (written < bytes.size()) {
    if (const int cause = wait()) return cause;
    // A pipe that is ready takes PIPE_BUF bytes without blocking. A longer write could block, and cancel() could not
    // end it.
    const std::size_t left = bytes.size() - written;
    const ssize_t n = ::write(fd_, bytes.data() + written, regular_ ? left : std::min<std::size_t>(left, PIPE_BUF));
    if (n >= 0) {
      written += static_cast<std::size_t>(n);
    } else if (errno != EINTR && errno != EAGAIN) {
      const int cause = errno;
      quiet.after(cause);
      return cause;
    }
  }
  return 0;
}

// Waits until a write does not block. Returns 0 or an errno.
int LineWriter::wait() {
  if (regular_) return 0;
  pollfd fds[] = {{fd_, POLLOUT, 0}, {wake_, POLLIN, 0}};
  while (::poll(fds, 2, -1) < 0) {
    if (errno != EINTR && errno != EAGAIN) return errno;
  }
  return fds[0].revents != 0 ? 0 : ECANCELED;
}

}  // namespace bcp

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/line_collector.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace bcp::cli::run {
namespace {

std::string sentence_about(const std::string& path, int cause) {
  const std::string place = path == "-" ? "standard output" : path;
  const bool full = cause == ENOSPC || cause == EDQUOT;
  return place + " cannot be written to: " + (full ? "the disk is full; free some space" : std::strerror(cause)) +
         " (results are lost meanwhile)";
}

// Of a file; below 0: it is not one.
off_t size_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
}

void remove_incomplete_line(int fd) {
  constexpr off_t kStep = 4096;
  off_t end = size_of(fd);
  std::array<char, kStep> bytes{};
  while (end > 0) {
    const off_t start = end > kStep ? end - kStep : 0;
    const ssize_t count = ::pread(fd, bytes.data(), static_cast<std::size_t>(end - start), start);
    if (count != end - start) return;
    const std::size_t newline = std::string_view(bytes.data(), static_cast<std::size_t>(count)).rfind('\n');
    if (newline != std::string_view::npos) {
      end = start + static_cast<off_t>(newline) + 1;
      break;
    }
    end = start;
  }
  if (end < 0 || end >= size_of(fd)) return;
  [[maybe_unused]] const int done = ::ftruncate(fd, end);
}

}  // namespace

Result<std::shared_ptr<LineSink>> LineSink::open(const std::string& path, Existing existing) {
  // Appended to, so that a file can be emptied by others (logrotate's copytruncate).
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (existing == Existing::kReplaced ? O_TRUNC : 0);
  const auto open_file = [&] {
    const int fd = ::open(path.c_str(), flags, 0666);
    // A device or a FIFO that can only be written to.
    return fd >= 0 ? fd : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  };
  const int fd = path == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open_file();
  if (fd < 0) return Error{ErrorCode::kRuntime, path + " cannot be written to: " + std::strerror(errno)};
  if (existing == Existing::kContinued && path != "-") remove_incomplete_line(fd);
  return std::shared_ptr<LineSink>(new LineSink(path, fd));
}

LineSink::LineSink(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
  is_file_ = path_ != "-" && size_of(fd_) >= 0;
}

LineSink::~LineSink() {
  ::close(fd_);
}

void LineSink::write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  const off_t before = is_file_ ? size_of(fd_) : -1;
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (!std::exchange(failed_, true)) fault_ = sentence_about(path_, errno);
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (before < 0 || rest.empty()) return;
  // Removes a line that was written in part.
  const std::size_t end = lines.substr(0, lines.size() - rest.size()).rfind('\n');
  const std::size_t whole = end == std::string_view::npos ? 0 : end + 1;
  [[maybe_unused]] const int done = ::ftruncate(fd_, before + static_cast<off_t>(whole));
}

std::string LineSink::take_fault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, {});
}

Result<std::unique_ptr<LineCollector>> LineCollector::open(std::shared_ptr<LineSink> sink) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{ErrorCode::kRuntime, std::string("cannot make a pipe for results: ") + std::strerror(errno)};
  return std::unique_ptr<LineCollector>(new LineCollector(std::move(sink), ends[0], ends[1]));
}

LineCollector::LineCollector(std::shared_ptr<LineSink> sink, int read_end, int write_end)
    : sink_(std::move(sink)), read_end_(read_end), write_end_(write_end) {
  location_.append("/dev/fd/").append(std::to_string(write_end));
  thread_ = std::thread([this] { read_all(); });
}

// The writer has closed its own descriptor: closing this one ends the pipe.
LineCollector::~LineCollector() {
  ::close(write_end_);
  thread_.join();
  ::close(read_end_);
}

void LineCollector::read_all() {
  std::array<char, 65536> bytes;
  std::string lines;
  for (ssize_t count; (count = ::read(read_end_, bytes.data(), bytes.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    lines.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t end = lines.rfind('\n');
    if (end == std::string::npos) continue;
    sink_->write(std::string_view(lines).substr(0, end + 1));
    lines.erase(0, end + 1);
  }
}

}  // namespace bcp::cli::run

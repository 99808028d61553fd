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

}  // namespace

Result<std::shared_ptr<LineSink>> LineSink::open(const std::string& path) {
  const int fd = path == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                             : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Error{ErrorCode::kRuntime, path + " cannot be written to: " + std::strerror(errno)};
  return std::shared_ptr<LineSink>(new LineSink(path, fd));
}

LineSink::LineSink(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
  struct stat status {};
  if (path_ != "-" && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) whole_ = 0;
}

LineSink::~LineSink() {
  ::close(fd_);
}

void LineSink::write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
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
  if (whole_ < 0) return;
  const std::string_view done = lines.substr(0, lines.size() - rest.size());
  const std::size_t end = done.rfind('\n');
  if (end != std::string_view::npos) whole_ += static_cast<off_t>(end + 1);
  // Removes a line that was written in part.
  if (!rest.empty() && ::ftruncate(fd_, whole_) == 0) ::lseek(fd_, whole_, SEEK_SET);
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

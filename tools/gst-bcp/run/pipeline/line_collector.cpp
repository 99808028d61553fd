// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/line_collector.hpp"

#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace bcp::cli::run {

Result<std::shared_ptr<LineSink>> LineSink::open(const std::string& path) {
  const int fd = path == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                             : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Error{ErrorCode::kRuntime, path + " cannot be written to: " + std::strerror(errno)};
  return std::shared_ptr<LineSink>(new LineSink(fd));
}

LineSink::~LineSink() {
  ::close(fd_);
}

void LineSink::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(fd_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk, a reader that has gone: the cameras go on
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<std::unique_ptr<LineCollector>> LineCollector::open(std::shared_ptr<LineSink> sink) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return Error{ErrorCode::kRuntime, std::string("there is no pipe left for results: ") + std::strerror(errno)};
  return std::unique_ptr<LineCollector>(new LineCollector(std::move(sink), ends[0], ends[1]));
}

LineCollector::LineCollector(std::shared_ptr<LineSink> sink, int read_end, int write_end)
    : sink_(std::move(sink)), read_end_(read_end), write_end_(write_end) {
  location_.append("/dev/fd/").append(std::to_string(write_end));
  watch_ = g_unix_fd_add(
      read_end_, G_IO_IN,
      [](gint, GIOCondition, gpointer self) -> gboolean { return static_cast<LineCollector*>(self)->take(), TRUE; },
      this);
}

LineCollector::~LineCollector() {
  g_source_remove(watch_);
  take();
  ::close(write_end_);
  ::close(read_end_);
}

void LineCollector::take() {
  std::array<char, 65536> bytes;
  for (ssize_t count; (count = ::read(read_end_, bytes.data(), bytes.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    rest_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const std::size_t end = rest_.rfind('\n');
  if (end == std::string::npos) return;
  sink_->write(std::string_view(rest_).substr(0, end + 1));
  rest_.erase(0, end + 1);
}

}  // namespace bcp::cli::run

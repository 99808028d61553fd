// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/service.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace bcp::cli::run {
namespace {

std::int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  std::int64_t number = 0;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace

Service::Service() {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  // An abstract socket begins with @.
  if (!path || (path[0] != '/' && path[0] != '@') || std::strlen(path) >= sizeof(to.sun_path)) return;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path, std::strlen(path));
  if (path[0] == '@') to.sun_path[0] = '\0';
  const std::size_t size = offsetof(sockaddr_un, sun_path) + std::strlen(path);
  address_.assign(reinterpret_cast<const char*>(&to), size);
  fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const std::int64_t watched = number_in("WATCHDOG_PID"), micros = number_in("WATCHDOG_USEC");
  // A third of the time, so that one late call does not matter.
  if (micros > 0 && (watched == 0 || watched == ::getpid()))
    interval_ = std::max(std::chrono::milliseconds(micros / 3000), std::chrono::milliseconds(1));
}

Service::~Service() {
  if (fd_ >= 0) ::close(fd_);
}

void Service::send(const std::string& text) const {
  if (fd_ < 0) return;
  [[maybe_unused]] const ssize_t sent =
      ::sendto(fd_, text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(address_.data()),
               static_cast<socklen_t>(address_.size()));
}

void Service::ready() {
  send("READY=1");
}

void Service::reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t micros = static_cast<std::int64_t>(now.tv_sec) * 1000000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(micros));
}

void Service::stopping() {
  send("STOPPING=1");
}

void Service::status(const std::string& text) {
  if (text == status_) return;
  status_ = text;
  send("STATUS=" + text);
}

void Service::alive() {
  send("WATCHDOG=1");
}

void Pulse::note(const std::string& source, bool connected, std::uint64_t frames, Clock::time_point now) {
  const auto [input, is_new] = inputs_.try_emplace(source, State{frames, now});
  if (!is_new && connected && input->second.frames == frames) return;
  input->second = {frames, now};
}

std::string Pulse::stuck(Clock::time_point now) const {
  for (const auto& [source, state] : inputs_)
    if (now - state.moved > kLongest) return source;
  return {};
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/interrupt.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace bcp::cli {
namespace {

constexpr std::int64_t kSame = 300'000'000;  // nanoseconds

// All that a handler may touch.
std::atomic<bool> g_came = false;
std::atomic<std::int64_t> g_time = 0;  // when the first came
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

void take(int signal) {
  timespec clock{};
  ::clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = std::int64_t{clock.tv_sec} * 1'000'000'000 + clock.tv_nsec;
  if (!g_came) {
    g_time = now;
    g_came = true;
  } else if (now - g_time >= kSame) {  // the default action follows when this returns
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

Interrupt::Interrupt() {
  g_came = false;
  struct sigaction action {};
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) ::sigaction(SIGHUP, &before_[i], nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interrupt::came() {
  return g_came;
}

}  // namespace bcp::cli

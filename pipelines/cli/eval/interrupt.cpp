// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/interrupt.hpp"

#include <atomic>

namespace bcp::cli {
namespace {

std::atomic<bool> g_came = false;  // all that a handler may touch
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

Interrupt::Interrupt() {
  g_came = false;
  struct sigaction action {};
  action.sa_handler = [](int) { g_came = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the second one does what it always did
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interrupt::came() {
  return g_came;
}

}  // namespace bcp::cli

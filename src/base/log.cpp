// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/log.hpp"

#include <atomic>

namespace bcp {
namespace {

// A plain pointer instead of a std::function: it can be swapped while other threads log, and is never destroyed.
std::atomic<LogSink> current{nullptr};

}  // namespace

void set_log_sink(LogSink sink) {
  current.store(sink);
}

void log(LogLevel level, std::string_view message) {
  if (const LogSink sink = current.load()) sink(level, message);
}

}  // namespace bcp

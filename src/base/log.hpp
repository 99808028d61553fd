// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the core's remarks go: nowhere, until an application says otherwise.
//
// Faults are Results, never log lines; this is for what a developer wants to see and a user does not.

#pragma once

#include <string_view>

namespace bcp {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Called on whatever thread has something to say, several at once: it must be thread-safe and must not throw.
using LogSink = void (*)(LogLevel level, std::string_view message);

// Sends every later remark of this process to `sink`; nullptr drops them, as at the start.
void set_log_sink(LogSink sink);

void log(LogLevel level, std::string_view message);

}  // namespace bcp

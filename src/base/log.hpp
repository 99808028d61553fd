// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the core logs to: nowhere, until the application sets a sink.
//
// Failures are returned as Results, not logged; the log is for developers.

#pragma once

#include <string_view>

namespace bcp {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Called on any thread, also on several at once: must be thread-safe and must not throw.
using LogSink = void (*)(LogLevel level, std::string_view message);

// Sends all later log messages of this process to `sink`; nullptr (the default) drops them.
void set_log_sink(LogSink sink);

void log(LogLevel level, std::string_view message);

}  // namespace bcp

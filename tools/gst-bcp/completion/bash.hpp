// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp completion bash: a script that completes what is typed, made from the table of commands.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command completion_bash(CLI::App& app, CLI::App& group);

}  // namespace bcp::cli

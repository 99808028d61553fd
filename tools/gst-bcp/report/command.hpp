// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp report.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command report_command(CLI::App& app);

}  // namespace bcp::cli

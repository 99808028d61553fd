// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

// gst-bcp explain: why labels are shown or not shown in one result.
Command explain_command(CLI::App& app);

}  // namespace bcp::cli

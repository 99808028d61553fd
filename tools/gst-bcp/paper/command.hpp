// SPDX-License-Identifier: LGPL-2.1-or-later
// `gst-bcp paper`: the paper's tables, with one's own results beside them.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command paper_command(CLI::App& app);

}  // namespace bcp::cli

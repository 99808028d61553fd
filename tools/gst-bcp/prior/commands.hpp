// SPDX-License-Identifier: LGPL-2.1-or-later
// The commands of `gst-bcp prior`. Each adds itself to `group` and returns its Command; the file of the same name has
// its help text.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command prior_diff(CLI::App& group);
Command prior_export(CLI::App& group);
Command prior_merge(CLI::App& group);
Command prior_reset(CLI::App& group);
Command prior_show(CLI::App& group);
Command prior_table(CLI::App& group);

}  // namespace bcp::cli

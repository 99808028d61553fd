// SPDX-License-Identifier: LGPL-2.1-or-later
// `gst-bcp eval`: measures how well a model ranks pictures by label, with and without correction.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command eval_command(CLI::App& app);

}  // namespace bcp::cli

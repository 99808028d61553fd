// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp adapt: applies the correction to an array.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command adapt_command(CLI::App& app);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp run: labels videos, pictures and cameras.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command run_inputs(CLI::App& app);

}  // namespace bcp::cli

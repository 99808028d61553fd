// SPDX-License-Identifier: LGPL-2.1-or-later
// The commands of `gst-bcp fleet`.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command fleet_status(CLI::App& group);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

// gst-bcp teach: teaches a prior file what is in pictures, and what is not.
Command teach_command(CLI::App& app);

}  // namespace bcp::cli

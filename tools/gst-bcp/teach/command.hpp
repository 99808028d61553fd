// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

// gst-bcp teach: teaches a prior file which labels are present or absent in pictures.
Command teach_command(CLI::App& app);

}  // namespace bcp::cli

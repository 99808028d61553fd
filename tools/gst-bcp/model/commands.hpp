// SPDX-License-Identifier: LGPL-2.1-or-later
// The commands of `gst-bcp model`. Each adds itself to `group` and returns its Command; the file of the same name has
// its help text.

#pragma once

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

Command model_get(CLI::App& group);
Command model_list(CLI::App& group);
Command model_check(CLI::App& group);
Command model_tokens(CLI::App& group);
Command model_preprocess(CLI::App& group);
Command model_embed(CLI::App& group);
Command model_calibrate(CLI::App& group);
Command model_drift(CLI::App& group);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of the presence probabilities as options of a command that works on arrays.

#pragma once

#include <string>

#include "decide/presence.hpp"
#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

struct PresenceOptions {
  std::string context_text, context_names;  // files; empty: the labels are compared with each other alone
  std::string prior_table;                  // a file; empty: the everyday table
  decide::Presence::Encoder encoder;
};

// --context-text, --context-names, --prior-table, --prior-strength and --presence-scale.
void add_presence(CLI::App& command, PresenceOptions& options);

}  // namespace bcp::cli

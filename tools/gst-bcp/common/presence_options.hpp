// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of the presence probabilities as options of a command that works on arrays.

#pragma once

#include <optional>
#include <string>

#include "decide/presence.hpp"
#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

struct PresenceOptions {
  std::string context_text, context_names;      // files; empty: the model's own, or none for arrays
  std::string prior_table;                      // a file; empty: the everyday table
  std::optional<double> prior_strength, scale;  // unset: the model's, or 1 for arrays

  decide::Presence::Encoder encoder() const {
    decide::Presence::Encoder chosen;
    chosen.strength = prior_strength.value_or(chosen.strength);
    chosen.scale = scale.value_or(chosen.scale);
    return chosen;
  }
};

// --context-text, --context-names, --prior-table, --prior-strength and --presence-scale.
void add_presence(CLI::App& command, PresenceOptions& options);

}  // namespace bcp::cli

// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of BCP as options of a command. They have the names of the element's properties. An option that is given
// overrides the preset.

#pragma once

#include <optional>

#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

struct BcpOptions : adapt::SetByHand {
  adapt::Preset preset = adapt::Preset::kPaper;

  adapt::AdapterSettings settings() const { return over(preset); }
};

// --preset, --anchor-confidence, --strength, --anchors, --keep-anchor, --warm-up, --shrinkage, --half-life,
// --novelty-distance and --novelty-interval.
void add_bcp(CLI::App& command, BcpOptions& options);

// "paper" or "video".
const char* name_of(adapt::Preset preset);

// What the novelty gate needs from a stream, which may be missing.
struct NoveltyNeeds {
  bool embeddings = false;
  bool times = false;
  const char* time_option = nullptr;  // the option that sets them: "--fps"; null: this command has no times
};

// Checks that the options that were given can take effect.
Status check_novelty(const BcpOptions& options, const NoveltyNeeds& has);

// The warning that the preset's gate has no effect because the stream has no embeddings, so every sample is learnt;
// nullopt if the gate is off anyway.
std::optional<std::string> novelty_warning(const BcpOptions& options, const NoveltyNeeds& has);

}  // namespace bcp::cli

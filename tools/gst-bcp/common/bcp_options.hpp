// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of BCP as options of a command. They are called what the element's properties are called; what is set by
// hand wins over the preset.

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

// What the novelty gate needs of a stream, and may lack.
struct NoveltyNeeds {
  bool embeddings = false;
  bool times = false;
  const char* time_option = nullptr;  // how a user gives them: "--fps"; null: this command knows no times
};

// Whether what was set by hand can be followed.
Status check_novelty(const BcpOptions& options, const NoveltyNeeds& has);

// A preset's gate on a stream without embeddings lets every sample through: the sentence that says so, or none where
// nothing is lost.
std::optional<std::string> novelty_warning(const BcpOptions& options, const NoveltyNeeds& has);

}  // namespace bcp::cli

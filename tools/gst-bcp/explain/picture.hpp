// SPDX-License-Identifier: LGPL-2.1-or-later
// The explanation of a picture: a model judges it as the element would judge a frame.

#pragma once

#include <string>

#include "base/result.hpp"
#include "gst-bcp/common/still_tagger.hpp"
#include "gst-bcp/explain/explanation.hpp"

namespace bcp::cli::explain {

// `label`: explain where its prior comes from, too; empty: of none.
Result<Explanation> explain_picture(const std::string& path, const StillOptions& options, const std::string& label);

}  // namespace bcp::cli::explain

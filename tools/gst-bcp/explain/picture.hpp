// SPDX-License-Identifier: LGPL-2.1-or-later
// The explanation of a picture, which a model labels as the element labels a frame.

#pragma once

#include <string>

#include "base/result.hpp"
#include "gst-bcp/common/still_tagger.hpp"
#include "gst-bcp/explain/explanation.hpp"

namespace bcp::cli::explain {

// `label`: also explain where its prior comes from; empty: not requested.
Result<Explanation> explain_picture(const std::string& path, const StillOptions& options, const std::string& label);

}  // namespace bcp::cli::explain

// SPDX-License-Identifier: LGPL-2.1-or-later
// Serves the live page of a run, for --view. The work is done in view/.

#pragma once

#include <memory>

#include "base/result.hpp"
#include "gst-bcp/run/observer.hpp"
#include "gst-bcp/run/plan/view_options.hpp"

namespace bcp::cli::run {

// Listens from now on. An error is about the address or the password file.
Result<std::unique_ptr<Observer>> serve_view(const ViewOptions& options, bool quiet);

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
// Records the live inputs of a run whose task says so (--record), and brings their --out to the disk as it grows. The
// work is done in record/.

#pragma once

#include <memory>

#include "gst-bcp/run/observer.hpp"
#include "gst-bcp/run/record/status.hpp"

namespace bcp::cli::run {

// Its destruction completes all files.
std::unique_ptr<Observer> observe_recordings();

}  // namespace bcp::cli::run

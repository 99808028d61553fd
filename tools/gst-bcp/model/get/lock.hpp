// SPDX-License-Identifier: LGPL-2.1-or-later
// A lock between processes: flock() on a file that stays, as in Python's filelock and huggingface_hub.

#pragma once

#include <functional>
#include <string>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

// Waits for the lock until Watch::stop(); `on_wait` is called once if it has to wait. The lock is held until the
// descriptor is closed. On a file system without locks it returns a descriptor without a lock.
Result<Descriptor> take_lock(const std::string& path, const Watch& watch, const std::function<void()>& on_wait);

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
// A lock that other processes honour: flock() on a file that stays, as Python's filelock and huggingface_hub take it.

#pragma once

#include <functional>
#include <string>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

// Waits for the lock, in a way that Watch::stop() ends; `on_wait` is called once if it has to. The lock is held until
// the descriptor is closed. A file system without locks gives a descriptor all the same.
Result<Descriptor> take_lock(const std::string& path, const Watch& watch, const std::function<void()>& on_wait);

}  // namespace bcp::cli::get

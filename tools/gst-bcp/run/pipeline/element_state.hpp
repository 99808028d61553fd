// SPDX-License-Identifier: LGPL-2.1-or-later
// What the elements of a running pipeline report about themselves. Any thread.

#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <vector>

#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// A number in an element's statistics; 0 if there is no element.
std::uint64_t count_in(GstElement* element, const char* field);

// The properties that differ from their defaults, without those that this program sets for each input.
std::vector<Setting> changed_settings(GstElement* tagger);

}  // namespace bcp::cli::run

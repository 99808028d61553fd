// SPDX-License-Identifier: LGPL-2.1-or-later
// What the live page's server reads from a request. On the server's thread.

#pragma once

#include <libsoup/soup.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gst-bcp/run/view/access.hpp"
#include "gst-bcp/run/view/picture_queue.hpp"

namespace bcp::cli::view {

inline std::string_view text_or_empty(const char* text) {
  return text ? std::string_view(text) : std::string_view();
}

// Valid as long as the message.
Caller caller_of(SoupServerMessage* message);

std::map<std::string, std::string> query_of(GHashTable* query);

// The list "cameras=1,3" of a query, at most 64; unset: it is missing or something else.
std::optional<std::set<CameraId>> cameras_in(const std::map<std::string, std::string>& query);

}  // namespace bcp::cli::view

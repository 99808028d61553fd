// SPDX-License-Identifier: LGPL-2.1-or-later
// The responses of the live page's server, with the headers that all of them have. On the server's thread.

#pragma once

#include <libsoup/soup.h>

#include <string>
#include <string_view>

#include "gst-bcp/run/view/access.hpp"
#include "gst-bcp/run/view/api.hpp"

namespace bcp::cli::view {

void respond(SoupServerMessage* message, unsigned status, std::string_view content_type, std::string_view body);
void respond(SoupServerMessage* message, const ApiReply& reply);
// With the sentence for this verdict, which is not kAllowed.
void refuse(SoupServerMessage* message, Verdict verdict);
// To another page of this server.
void redirect(SoupServerMessage* message, const char* path);

// The header of a response that is sent without libsoup: it ends when the connection does.
std::string stream_head(std::string_view content_type);

}  // namespace bcp::cli::view

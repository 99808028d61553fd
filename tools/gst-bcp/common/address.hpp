// SPDX-License-Identifier: LGPL-2.1-or-later
// Addresses of streams, and what of them may be shown.

#pragma once

#include <string>
#include <string_view>

namespace bcp::cli::run {

// Whether the text is an address ("rtsp://...") and no path.
bool is_address(std::string_view text);

// Whether what is there comes at its own pace, for ever: a camera, a broadcast.
bool is_live_address(std::string_view address);

// The text with every password in every address in it replaced by ***, and secrets in queries too. Whatever is shown or
// written to a file goes through this: it is safe on any text, also on messages of GStreamer.
std::string without_secrets(const std::string& text);

// The same for a text that is one address as a whole, and may hold spaces.
std::string shown_address(const std::string& address);

// The address with the user and password in it spelt so that GStreamer finds where they end: as people type them, they
// hold slashes and @. Its scheme is in small letters.
std::string escaped_address(const std::string& given);

// A name for files made from an address: "rtsp://user:x@cam1:554/main?a=b" is "cam1-554-main".
std::string file_name_of(std::string_view address);

}  // namespace bcp::cli::run

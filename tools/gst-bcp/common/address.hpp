// SPDX-License-Identifier: LGPL-2.1-or-later
// Addresses of streams, and how to hide their passwords.

#pragma once

#include <string>
#include <string_view>

namespace bcp::cli::run {

// Whether the text is an address ("rtsp://..."), not a path.
bool is_address(std::string_view text);

// Whether the address is of a live stream without an end: a camera, a broadcast.
bool is_live_address(std::string_view address);

// The text with *** instead of every password in an address, and of secrets in queries. Use it for every text that is
// shown or written to a file: it is safe on any text, also on messages of GStreamer.
std::string without_secrets(const std::string& text);

// The same for a text that is one address, and may contain spaces.
std::string shown_address(const std::string& address);

// The address with its user and password escaped so that GStreamer finds where they end: as people type them, they
// may contain slashes and @. Its scheme is in small letters.
std::string escaped_address(const std::string& given);

// A name for files made from an address: "rtsp://user:x@cam1:554/main?a=b" is "cam1-554-main".
std::string file_name_of(std::string_view address);

}  // namespace bcp::cli::run

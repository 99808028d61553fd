// SPDX-License-Identifier: LGPL-2.1-or-later
// When to ask a server again, and how long to wait before.
//
// Asked again: connections that were cut, busy servers (408, 5xx), rate limits (429, or 503 with Retry-After). The
// pause doubles with every attempt that brings nothing, from half a second to 16 s; an attempt that brings bytes starts
// the count anew. A server that names a time gets it, up to five minutes.

#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/model/get/http_client.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

// Belongs to one thread.
class Retry {
 public:
  // `most`: attempts in a row that bring nothing, after the first.
  Retry(int most, Watch& watch) : most_(most), watch_(watch) {}

  // True: ask again, the pause is over. `progressed`: bytes came since the last call. `where` completes the sentence
  // about a cut connection: "at 120 MB". An answer that asking again would not change returns false.
  bool again(const HttpAnswer& answer, bool progressed, const std::string& where = {});

 private:
  const int most_;
  Watch& watch_;
  int idle_ = 0;
};

// The error of an answer that was not asked again for, or not any more. `what` is what was asked for; `again` completes
// the sentence about a server that failed for good: "run this again to go on from 120 MB".
Error error_of(const HttpAnswer& answer, const std::string& what, const std::string& again);

// Seconds that the answer asks to wait: Retry-After as seconds or as a date, or the Hub's RateLimit header.
std::optional<int> seconds_to_wait(const HttpAnswer& answer);

// What the error says when stop() ended the work.
Error interrupted();
bool is_interrupted(const Error& error);

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
// When to retry a request, and how long to wait before.
//
// Retried: broken connections, busy servers (408, 5xx), rate limits (429, or 503 with Retry-After). The pause doubles
// with every attempt without data, from half a second to 16 s; an attempt with data resets the count. A time that the
// server requests is respected, up to five minutes.

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
  // `most`: attempts in a row without data, after the first.
  Retry(int most, Watch& watch) : most_(most), watch_(watch) {}

  // True: retry now, the pause is over. `progressed`: data came since the last call. `where` completes the sentence
  // about a broken connection: "at 120 MB". False: a retry would not change the answer, or was done too often.
  bool again(const HttpAnswer& answer, bool progressed, const std::string& where = {});

 private:
  const int most_;
  Watch& watch_;
  int idle_ = 0;
};

// The error of an answer after the last attempt. `what` was requested; `again` completes the sentence about a server
// that keeps failing: "run this again to resume it at 120 MB".
Error error_of(const HttpAnswer& answer, const std::string& what, const std::string& again);

// Seconds to wait that the answer requests: Retry-After as seconds or as a date, or the Hub's RateLimit header.
std::optional<int> seconds_to_wait(const HttpAnswer& answer);

// The error when stop() ended the work.
Error interrupted();
bool is_interrupted(const Error& error);

}  // namespace bcp::cli::get

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/retry.hpp"

#include <libsoup/soup.h>

#include <algorithm>
#include <chrono>

namespace bcp::cli::get {
namespace {

using namespace std::chrono_literals;
using Kind = HttpFault::Kind;

constexpr std::chrono::milliseconds kFirst = 500ms, kLongest = 16s;
constexpr int kLongestAsked = 300;  // seconds
constexpr const char* kInterrupted = "interrupted";

std::string seconds_text(std::chrono::milliseconds time) {
  return time < 1s ? "0.5 s" : std::to_string(time / 1s) + " s";
}

bool is_busy(const HttpAnswer& answer) {
  return answer.status >= 500 || answer.status == 429 || answer.status == 408;
}

std::string status_text(const HttpAnswer& answer) {
  return "HTTP status " + std::to_string(answer.status);
}

// A number of at most six digits at the beginning of the text. Other text may follow where `whole` is false.
std::optional<int> number_in(std::string_view text, bool whole) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMostDigits || (whole && digits < text.size())) return {};
  return std::stoi(std::string(text.substr(0, digits)));
}

}  // namespace

std::optional<int> seconds_to_wait(const HttpAnswer& answer) {
  const std::string text = answer.header("retry-after");
  if (const std::optional<int> seconds = number_in(text, true)) return seconds;
  if (GDateTime* const date = text.empty() ? nullptr : soup_date_time_new_from_http_string(text.c_str())) {
    const gint64 left = g_date_time_to_unix(date) - g_get_real_time() / G_USEC_PER_SEC;
    g_date_time_unref(date);
    return static_cast<int>(std::clamp<gint64>(left, 0, 999999));
  }
  const std::string limit = answer.header("ratelimit");
  const std::size_t time = std::min(limit.find(";t="), limit.find("; t="));
  if (answer.status != 429 || time == std::string::npos) return {};
  return number_in(std::string_view(limit).substr(limit.find('=', time) + 1), false);
}

bool Retry::again(const HttpAnswer& answer, bool progressed, const std::string& where) {
  const bool cut = answer.fault && answer.fault->kind == Kind::kCut;
  // A server that answered before may come back; one that never answered means a wrong address or no network.
  const bool lost = answer.fault && answer.fault->kind == Kind::kUnreachable && (progressed || idle_ > 0);
  const bool busy = !answer.fault && is_busy(answer);
  if (!cut && !lost && !busy) return false;
  idle_ = progressed ? 1 : idle_ + 1;
  if (idle_ > most_) return false;

  const std::string host = host_of(answer.url);
  if (const std::optional<int> asked = busy ? seconds_to_wait(answer) : std::nullopt) {
    if (*asked > kLongestAsked) return false;
    watch_.say(host + " requests a pause of " + std::to_string(*asked) + " s (" + status_text(answer) + ").");
    return watch_.pause(std::chrono::seconds(*asked));
  }
  const std::chrono::milliseconds pause = std::min(kLongest, kFirst * (1 << std::min(idle_ - 1, 10)));
  watch_.say((busy ? host + " is busy (" + status_text(answer) + ")"
                   : "The connection to " + host + " was cut" + (where.empty() ? "" : " " + where) + " (" +
                         answer.fault->reason + ")") +
             ": retrying in " + seconds_text(pause) + ".");
  return watch_.pause(pause);
}

Error error_of(const HttpAnswer& answer, const std::string& what, const std::string& again) {
  const std::string host = host_of(answer.url);
  const auto failed = [&](ErrorCode code, const std::string& sentence) { return Error{code, sentence}; };
  if (answer.fault) {
    const std::string& reason = answer.fault->reason;
    switch (answer.fault->kind) {
      case Kind::kCancelled:
        return interrupted();
      case Kind::kAddress:
        return failed(ErrorCode::kInvalid, answer.url + " is not an http or https address: correct it");
      case Kind::kUnreachable:
        return failed(ErrorCode::kRuntime, host + " is out of reach (" + reason +
                                               "): check the network, and https_proxy if you use a proxy; " + again);
      case Kind::kUntrusted:
        return failed(ErrorCode::kRuntime, "the certificate of " + host + " is not trusted (" + reason +
                                               "): check this machine's clock and its package ca-certificates");
      case Kind::kNoTls:
        return failed(ErrorCode::kUnsupported,
                      answer.url +
                          " needs TLS, which GLib does not have on this machine: install the package "
                          "glib-networking");
      case Kind::kRedirect:
        return failed(ErrorCode::kRuntime, what + " was " + reason + ": check the address, or HF_ENDPOINT");
      case Kind::kCut:
        return failed(ErrorCode::kRuntime,
                      "the download of " + what + " from " + host + " keeps failing (" + reason + "): " + again);
    }
  }
  if (answer.status == 429) {
    const std::optional<int> wait = seconds_to_wait(answer);
    return failed(ErrorCode::kRuntime, host + " rejects more requests for now (HTTP status 429): run this again in " +
                                           (wait ? std::to_string(*wait) + " s" : "a few minutes") +
                                           "; with a token in HF_TOKEN the limits are higher");
  }
  if (is_busy(answer))
    return failed(ErrorCode::kRuntime,
                  host + " keeps failing (" + status_text(answer) + ") for " + what + ": " + again);
  if (answer.status == 404 || answer.status == 410)
    return failed(ErrorCode::kNotFound,
                  answer.url + " does not exist (" + status_text(answer) + "): check the address");
  return failed(ErrorCode::kRuntime, what + " was refused by " + host + " (" + status_text(answer) +
                                         "): check the address, and whether it needs a login");
}

Error interrupted() {
  return Error{ErrorCode::kRuntime, kInterrupted};
}

bool is_interrupted(const Error& error) {
  return error.message == kInterrupted;
}

}  // namespace bcp::cli::get

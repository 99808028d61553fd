// SPDX-License-Identifier: LGPL-2.1-or-later
// Who may see the live page, and who may change something with it.
//
// Without a password (loopback only) everyone on this machine may see it. With one, a browser logs in and gets a
// cookie: HttpOnly, and SameSite=Strict, so that no other site can use it. A change also needs a token that only the
// page can read, in a header that other sites cannot send; requests that a browser marks as coming from another site
// are refused in any case. One thread: the server's.

#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gst-bcp/run/view/host_rule.hpp"
#include "gst-bcp/run/view/login_limit.hpp"

namespace bcp::cli::view {

// What a request says about its sender; empty: nothing.
struct Caller {
  std::string_view host;        // Host
  std::string_view origin;      // Origin
  std::string_view fetch_site;  // Sec-Fetch-Site
  std::string_view cookie;      // Cookie
  std::string_view token;       // X-Bcp-Token
  std::string address;          // the client's IP address
};

enum class Verdict {
  kAllowed,
  kWrongHost,  // the Host is not a name of this machine
  kForeign,    // from another site
  kNoSession,  // a login is needed
  kNoToken,    // a change without the page's token
};

class Access {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostSessions = 64;  // beyond it, the one that was used longest ago ends
  static constexpr std::chrono::hours kIdle{24};    // a session ends when it was not used for this time

  struct Rules {
    std::optional<std::string> password;  // unset: none is needed
    std::uint16_t port = 0;               // part of the cookie's name: cookies are shared by all ports of a host
    HostRule hosts;
  };
  explicit Access(Rules rules);

  bool needs_login() const { return rules_.password.has_value(); }
  // Whether the request may be answered at all: for what everyone may see.
  Verdict judge_sender(const Caller& caller) const;
  // The same, and it has a session.
  Verdict judge_reader(const Caller& caller, Clock::time_point now);
  // The same, and it has the token of its session.
  Verdict judge_writer(const Caller& caller, Clock::time_point now);
  // The token for changes, of the session. REQUIRES: judge_reader() allows it.
  std::string token_of(const Caller& caller, Clock::time_point now);

  enum class Login { kDone, kWrong, kTooOften };
  struct LoginResult {
    Login outcome;
    std::string cookie;  // the value of Set-Cookie, if done
  };
  LoginResult log_in(const Caller& caller, std::string_view password, Clock::time_point now);
  // Ends the session, if there is one. Returns the value of Set-Cookie that removes it from the browser.
  std::string log_out(const Caller& caller, Clock::time_point now);

 private:
  struct Session {
    std::string id, token;
    Clock::time_point used;
  };
  Session* session_of(const Caller& caller, Clock::time_point now);

  const Rules rules_;
  const std::string cookie_name_;
  LoginLimit limit_;
  Session open_;                 // the one of everybody, without a password
  std::list<Session> sessions_;  // the one used last first
};

}  // namespace bcp::cli::view

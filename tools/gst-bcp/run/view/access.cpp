// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/access.hpp"

#include <algorithm>
#include <utility>

#include "gst-bcp/run/view/random_text.hpp"

namespace bcp::cli::view {
namespace {

// The value of a cookie in the header "a=1; b=2".
std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view one = header.substr(0, end);
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

Access::Access(Rules rules)
    : rules_(std::move(rules)), cookie_name_("bcp-view-" + std::to_string(rules_.port)), open_{"", random_text(), {}} {}

Verdict Access::judge_sender(const Caller& caller) const {
  if (!rules_.hosts.accepts(caller.host)) return Verdict::kWrongHost;
  // Browsers send Origin with every POST, and with requests that scripts of other sites make.
  const std::string own = "://" + std::string(caller.host);
  if (!caller.origin.empty() && caller.origin != "http" + own && caller.origin != "https" + own)
    return Verdict::kForeign;
  return Verdict::kAllowed;
}

Verdict Access::judge_reader(const Caller& caller, Clock::time_point now) {
  if (const Verdict sender = judge_sender(caller); sender != Verdict::kAllowed) return sender;
  // A picture in a page of another site, say. "none" is an address that a person has typed.
  if (!caller.fetch_site.empty() && caller.fetch_site != "same-origin" && caller.fetch_site != "none")
    return Verdict::kForeign;
  return session_of(caller, now) ? Verdict::kAllowed : Verdict::kNoSession;
}

Verdict Access::judge_writer(const Caller& caller, Clock::time_point now) {
  if (const Verdict reader = judge_reader(caller, now); reader != Verdict::kAllowed) return reader;
  return equal_secrets(caller.token, session_of(caller, now)->token) ? Verdict::kAllowed : Verdict::kNoToken;
}

std::string Access::token_of(const Caller& caller, Clock::time_point now) {
  const Session* session = session_of(caller, now);
  return session ? session->token : std::string();
}

Access::LoginResult Access::log_in(const Caller& caller, std::string_view password, Clock::time_point now) {
  if (!limit_.allows(caller.address, now)) return {Login::kTooOften, {}};
  if (!rules_.password || !equal_secrets(password, *rules_.password)) return {Login::kWrong, {}};
  limit_.forget(caller.address);
  sessions_.push_front({random_text(), random_text(), now});
  while (sessions_.size() > kMostSessions) sessions_.pop_back();
  return {Login::kDone, cookie_name_ + "=" + sessions_.front().id + "; Path=/; HttpOnly; SameSite=Strict"};
}

std::string Access::log_out(const Caller& caller, Clock::time_point now) {
  if (const Session* session = session_of(caller, now); session && rules_.password)
    sessions_.remove_if([id = session->id](const Session& each) { return each.id == id; });
  return cookie_name_ + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
}

Access::Session* Access::session_of(const Caller& caller, Clock::time_point now) {
  if (!rules_.password) return &open_;
  sessions_.remove_if([now](const Session& each) { return now - each.used > kIdle; });
  const std::string_view id = cookie_value(caller.cookie, cookie_name_);
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [id](const Session& each) { return equal_secrets(id, each.id); });
  if (found == sessions_.end()) return nullptr;
  found->used = now;
  sessions_.splice(sessions_.begin(), sessions_, found);
  return &sessions_.front();
}

}  // namespace bcp::cli::view

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/view_options.hpp"

#include <gio/gio.h>

#include <memory>
#include <utility>

#include "mqtt/credentials.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::size_t kShortest = 8;  // characters of a password

Error view_fault(std::string sentence) {
  while (sentence.ends_with('.')) sentence.pop_back();
  return {ErrorCode::kInvalid, std::move(sentence)};
}

bool is_loopback(const std::string& host) {
  GInetAddress* address = g_inet_address_new_from_string(host.c_str());
  if (!address) return false;  // one with an interface, as in fe80::1%eth0
  const bool is = g_inet_address_get_is_loopback(address) != FALSE;
  g_object_unref(address);
  return is;
}

}  // namespace

Result<ViewPlace> view_place(const ViewOptions& options) {
  Result<HttpAddress> address = parse_http_address(options.address);
  if (!address) return view_fault("--view " + address.error().message);
  if (options.password_file.empty()) {
    if (is_loopback(address->host)) return ViewPlace{*std::move(address), std::nullopt};
    return view_fault("--view " + options.address +
                      " would show the cameras to everyone in the network: add --view-password-file FILE, or give the "
                      "port alone to serve this machine only");
  }
  Result<std::string> password = view_password("--view-password-file", options.password_file);
  if (!password) return password.error();
  return ViewPlace{*std::move(address), *std::move(password)};
}

Result<std::string> view_password(const std::string& option, const std::string& file) {
  Result<std::string> password = mqtt::read_password(option, file);
  if (!password) return view_fault(password.error().message);
  if (password->size() < kShortest)
    return view_fault(option + " " + file + " has a password of fewer than " + std::to_string(kShortest) +
                      " characters: write a longer one into its first line");
  return password;
}

Status check_view(const ViewOptions& options) {
  if (!options.address.empty()) {
    if (Result<ViewPlace> place = view_place(options); !place) return place.error();
    return ok();
  }
  if (!options.password_file.empty() || !options.hosts.empty())
    return view_fault(std::string(options.hosts.empty() ? "--view-password-file" : "--view-host") +
                      " is about the live page: add --view PORT");
  return ok();
}

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/host_rule.hpp"

#include <gio/gio.h>

#include <algorithm>

namespace bcp::cli::view {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](char c) { return g_ascii_tolower(c); });
  return made;
}

// Without the port and without the brackets of IPv6; empty: the header is malformed.
std::string name_in(std::string_view host) {
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return {};
    port = host.substr(end + 1);
    host = host.substr(1, end - 1);
    if (!port.empty() && !port.starts_with(':')) return {};
    if (!port.empty()) port.remove_prefix(1);
  } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (!std::all_of(port.begin(), port.end(), [](char c) { return g_ascii_isdigit(c); })) return {};
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower(host);
}

}  // namespace

HostRule::HostRule(const std::string& machine, const std::vector<std::string>& listed) : names_{"localhost"} {
  if (!machine.empty()) names_.insert({lower(machine), lower(machine) + ".local"});
  for (const std::string& name : listed) names_.insert(name_in(name));
  names_.erase("");
}

bool HostRule::accepts(std::string_view host) const {
  const std::string name = name_in(host);
  return !name.empty() && (names_.contains(name) || g_hostname_is_ip_address(name.c_str()));
}

}  // namespace bcp::cli::view

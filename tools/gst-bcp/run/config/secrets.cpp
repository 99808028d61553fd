// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/secrets.hpp"

#include <glib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

std::string encoded(const std::string& value) {
  const gst::CharPtr text(g_uri_escape_bytes(reinterpret_cast<const guint8*>(value.data()), value.size(), nullptr));
  return text.get();
}

// `encode_until`: values of references that begin in front of this byte are percent-encoded.
Result<std::string> expand(const std::string& text, std::size_t encode_until) {
  std::string all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 3, "$${") == 0) {
      all += "${";
      at += 2;
      continue;
    }
    if (text.compare(at, 2, "${") != 0) {
      all += text[at];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return invalid("\"${\" without \"}\": write ${NAME}");
    const std::string name = text.substr(at + 2, end - at - 2);
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (!value || !*value)
      return invalid("the environment variable " + name +
                     " is not set: export it, or add it to the service's EnvironmentFile");
    all += at < encode_until ? encoded(value) : value;
    at = end;
  }
  return all;
}

}  // namespace

Result<std::string> expanded(const std::string& text) {
  return expand(text, 0);
}

Result<std::string> expanded_address(const std::string& text) {
  const std::size_t at = text.rfind('@');
  return expand(text, at == std::string::npos ? 0 : at);
}

Result<std::string> read_password(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file) return invalid("the password file " + path + " cannot be read: " + std::strerror(errno));
  std::getline(file, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty() || line.size() > 4096)
    return invalid("the first line of " + path + " is not a password: write it there, and nothing else");
  return line;
}

Result<std::string> with_password(const std::string& address, const std::string& user, const std::string& password) {
  const std::size_t start = address.find("://") + 3, at = address.rfind('@');
  const std::string before = at == std::string::npos ? "" : address.substr(start, at - start);
  if (before.find(':') != std::string::npos)
    return invalid("the address has a password already: remove it there, or the other password here");
  if (!before.empty() && !user.empty()) return invalid("the address has a user already: remove one of them");
  if (before.empty() && user.empty()) return invalid("a password needs a user: add \"user: NAME\"");
  return address.substr(0, start) + (user.empty() ? before : encoded(user)) + ":" + encoded(password) + "@" +
         address.substr(at == std::string::npos ? start : at + 1);
}

}  // namespace bcp::cli::run

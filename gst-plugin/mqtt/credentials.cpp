// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/credentials.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace bcp::mqtt {
namespace {

// Why the file at `path` could not be read, and what `wanted` is.
Error unreadable(const std::string& setting, const std::string& path, const char* wanted) {
  const std::string cause = errno != 0 ? std::system_category().message(errno) : "it is empty";
  return {ErrorCode::kInvalid, setting + " '" + path + "' cannot be read (" + cause + "); set it to " + wanted + "."};
}

}  // namespace

Result<std::string> read_password(const std::string& setting, const std::string& path) {
  errno = 0;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return unreadable(setting, path, "a file whose first line is the password");
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Status check_pem_file(const std::string& setting, const std::string& path) {
  if (path.empty()) return ok();
  errno = 0;
  if (std::ifstream(path, std::ios::binary).peek() != std::char_traits<char>::eof()) return ok();
  return unreadable(setting, path, "a readable PEM file");
}

}  // namespace bcp::mqtt

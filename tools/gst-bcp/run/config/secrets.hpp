// SPDX-License-Identifier: LGPL-2.1-or-later
// Secrets that a file of cameras names and does not contain: environment variables and files of passwords.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::cli::run {

// The text with the value of each ${NAME} of the environment; $${ is a literal ${. Errors name the variable, never a
// value.
Result<std::string> expanded(const std::string& text);

// The same for an address: a value in front of the @ is percent-encoded, so that it may have any character. A text that
// is one ${NAME} is the address itself.
Result<std::string> expanded_address(const std::string& text);

// The first line of the file.
Result<std::string> read_password(const std::string& path);

// The address with this user and password, encoded. An empty user: that of the address. An error: the address has a
// password, or there is no user.
Result<std::string> with_password(const std::string& address, const std::string& user, const std::string& password);

}  // namespace bcp::cli::run

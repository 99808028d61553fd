// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/crc32.hpp"

#include <zlib.h>

namespace bcp {

std::uint32_t crc32(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace bcp

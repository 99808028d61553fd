// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/user_cache.hpp"

#include <cstdlib>
#include <filesystem>

namespace bcp {

std::string user_cache(const std::string& name) {
  std::filesystem::path base;
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    base = cache;
  } else if (const char* const home = std::getenv("HOME"); home && *home) {
    base = std::filesystem::path(home) / ".cache";
  } else {
    return {};
  }
  const std::filesystem::path own = base / "gst-bcp", path = own / name;
  std::error_code ignored;
  // Private: cached labels show what a user searches for.
  if (std::filesystem::create_directories(own, ignored))
    std::filesystem::permissions(own, std::filesystem::perms::owner_all, ignored);
  std::filesystem::create_directories(path.parent_path(), ignored);
  return path.string();
}

}  // namespace bcp

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/paths.hpp"

#include "gst-bcp/run/config/secrets.hpp"

namespace bcp::cli::run {

std::optional<std::string> Paths::read(const Section& section, const std::string& key,
                                       const std::string& camera) const {
  constexpr std::string_view kName = "{name}";
  const std::optional<std::string> given = section.text(key);
  if (!given || *given == "-") return given;
  Result<std::string> whole = expanded(*given);
  if (!whole) {
    section.fault(key, whole.error().message);
    return std::nullopt;
  }
  for (std::size_t at = whole->find(kName); at != std::string::npos && !camera.empty(); at = whole->find(kName, at)) {
    whole->replace(at, kName.size(), camera);
    at += camera.size();
  }
  return (folder_ / *whole).string();
}

}  // namespace bcp::cli::run

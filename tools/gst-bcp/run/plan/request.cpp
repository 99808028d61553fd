// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

std::string value_of(const std::vector<Setting>& settings, const std::string& property) {
  std::string value;
  for (const auto& [name, text] : settings)
    if (name == property) value = text;
  return value;
}

}  // namespace bcp::cli::run

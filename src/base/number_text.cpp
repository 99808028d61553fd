// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/number_text.hpp"

#include <array>
#include <cstdio>

namespace bcp {

std::string number_text(const char* format, double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace bcp

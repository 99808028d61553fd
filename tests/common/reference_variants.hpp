// SPDX-License-Identifier: LGPL-2.1-or-later
// The variants of the method with results in tests/data/voc2007-stream, by their names there.

#pragma once

#include <algorithm>
#include <ostream>
#include <string>

#include "adapt/settings.hpp"

namespace bcp::test {

struct Variant {
  const char* name;
  adapt::AdapterSettings settings;

  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }
};

inline const Variant kVariants[] = {
    {"paper", {}},
    {"anchors2", {.bcp = {.anchors = 2}, .novelty = {}}},
    {"anchors3", {.bcp = {.anchors = 3}, .novelty = {}}},
    {"warm_up", {.bcp = {.warm_up = true}, .novelty = {}}},
    {"shrinkage20", {.bcp = {.shrinkage = 20}, .novelty = {}}},
    {"strength0.5", {.bcp = {.strength = 0.5}, .novelty = {}}},
    {"mu0.1", {.bcp = {.anchor_confidence = 0.1}, .novelty = {}}},
    {"mu0.9", {.bcp = {.anchor_confidence = 0.9}, .novelty = {}}},
    {"half_life100", {.bcp = {.half_life = 100}, .novelty = {}}},
    {"novelty0.2", {.bcp = {}, .novelty = {.distance = 0.2}}},
};

// As a part of a test name.
inline std::string test_name(const Variant& variant) {
  std::string name = variant.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace bcp::test

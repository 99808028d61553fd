// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Blends premultiplied samples over others: sample = add + sample * keep, with keep = 1 - alpha.

#pragma once

#include <cstddef>
#include <cstdint>

namespace bcp::overlay {

// `keep` is in units of 1/255. Rounds to nearest. Written so that compilers can vectorise it.
inline void blend_samples(std::uint8_t* samples, const std::uint8_t* add, const std::uint8_t* keep, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<std::uint16_t>(samples[i] * keep[i] + 128);
    samples[i] = static_cast<std::uint8_t>(add[i] + static_cast<std::uint8_t>((t + (t >> 8)) >> 8));
  }
}

// `keep` is in units of 1/65535.
inline void blend_samples(std::uint16_t* samples, const std::uint16_t* add, const std::uint16_t* keep,
                          std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t t = std::uint32_t{samples[i]} * keep[i] + 32768;
    samples[i] = static_cast<std::uint16_t>(add[i] + ((t + (t >> 16)) >> 16));
  }
}

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A colour for each label: the same for the same name, in every run and on every machine.
//
// The hues are those of Okabe and Ito, which colour-blind people can distinguish, lightened where they would be too
// dark on the panel, in three degrees of lightness. Two labels may have the same colour, so always draw the name too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bcp::overlay {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

inline constexpr std::size_t kPaletteSize = 21;

// Any thread.
Rgb palette_entry(std::size_t index);  // index < kPaletteSize
Rgb colour_of(std::string_view label);

// The effect of the correction on a label: two colours that colour-blind people can distinguish.
inline constexpr Rgb kRaised{86, 180, 233};   // sky blue
inline constexpr Rgb kLowered{240, 160, 40};  // orange

// The colour of the panel, without its opacity.
inline constexpr Rgb kPanel{13, 15, 20};

// Users can choose any colour. readable() lightens it until text in this colour is readable on the panel; ink_on()
// returns a dark or a white colour for text on a background of `colour`.
Rgb readable(Rgb colour);
Rgb ink_on(Rgb colour);

}  // namespace bcp::overlay

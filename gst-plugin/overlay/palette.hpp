// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A colour for each label: always the same for the same name, in every run and on every machine.
//
// The hues are those Okabe and Ito chose to be told apart by people who are colour-blind, lightened where they would be
// too dark on the panel, in three degrees of lightness. Two labels may share a colour: names, not colours, tell labels
// apart.

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

// What the correction did to a label: these two are told apart by every kind of sight.
inline constexpr Rgb kRaised{86, 180, 233};   // sky blue
inline constexpr Rgb kLowered{240, 160, 40};  // orange

// The panel itself, before it is made translucent.
inline constexpr Rgb kPanel{13, 15, 20};

// A colour that the user chose may be any. Letters in it: `colour`, lightened as far as they need it to be read on the
// panel. Letters on it: dark or white ones.
Rgb readable(Rgb colour);
Rgb ink_on(Rgb colour);

}  // namespace bcp::overlay

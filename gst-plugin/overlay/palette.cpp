// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/palette.hpp"

#include <array>
#include <cmath>

namespace bcp::overlay {
namespace {

constexpr std::array<Rgb, 7> kHues{{
    {230, 159, 0},    // orange
    {86, 180, 233},   // sky blue
    {0, 178, 130},    // bluish green
    {240, 228, 66},   // yellow
    {64, 140, 230},   // blue
    {232, 108, 32},   // vermilion
    {212, 130, 175},  // reddish purple
}};
constexpr std::array<int, 3> kWhite{0, 28, 52};  // per cent of white mixed in

constexpr std::uint8_t lightened(std::uint8_t value, int per_cent) {
  return static_cast<std::uint8_t>(value + (255 - value) * per_cent / 100);
}

// FNV-1a: the same on every machine, unlike std::hash. The start value was chosen so that words that often occur
// together (car, person, bicycle, bus; the labels of Pascal VOC) get different colours.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 803585;
  for (const char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return h ^ (h >> 32);
}

constexpr Rgb lightened(Rgb c, int per_cent) {
  return {lightened(c.r, per_cent), lightened(c.g, per_cent), lightened(c.b, per_cent)};
}

// As defined by WCAG 2, which also requires a contrast of 4.5 for text.
double luminance(Rgb colour) {
  const auto linear = [](std::uint8_t code) {
    const double c = code / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}
bool stands_out(Rgb colour) {
  return (luminance(colour) + 0.05) / (luminance(kPanel) + 0.05) >= 4.5;
}

}  // namespace

Rgb palette_entry(std::size_t index) {
  const Rgb hue = kHues[index % kHues.size()];
  const int white = kWhite[index / kHues.size() % kWhite.size()];
  return lightened(hue, white);
}

Rgb colour_of(std::string_view label) {
  static_assert(kPaletteSize == kHues.size() * kWhite.size());
  return palette_entry(static_cast<std::size_t>(hash(label) % kPaletteSize));
}

Rgb readable(Rgb colour) {
  int white = 0;
  while (!stands_out(lightened(colour, white))) ++white;
  return lightened(colour, white);
}

Rgb ink_on(Rgb colour) {
  return stands_out(colour) ? kPanel : Rgb{255, 255, 255};
}

}  // namespace bcp::overlay

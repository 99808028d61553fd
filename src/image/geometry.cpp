// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace bcp::image {
namespace {

// A pixel aspect ratio of 4/3 is not exact in binary: a ratio this close to an integer counts as the integer. Sides
// below 2^16 give true fractions of at least 2^-16.
constexpr double kSlack = 1e-6;

// Half to even, as Python's round().
int round_half_even(double v) {
  return static_cast<int>(std::nearbyint(v));
}

int tile_count(double ratio) {
  return std::min(static_cast<int>(std::ceil(ratio - kSlack)), kMaxTiles);
}

// Where the windows start along an axis resized to `length`.
std::vector<int> starts(int length, int size, int count, Crop crop) {
  const double room = length - size;
  if (count == 1) return {crop == Crop::kRounded ? (length - size) / 2 : round_half_even(room / 2)};
  std::vector<int> result;
  for (int i = 0; i < count; ++i) result.push_back(round_half_even(room * i / (count - 1)));
  return result;
}

// Converts a window of the upright picture to the stored picture, whose resized size is width x height.
Window as_stored(Window upright, const Orientation& orientation, int width, int height, int size) {
  const int right = width - size, bottom = height - size;  // the last positions of a window
  Window stored = upright;
  if (orientation.clockwise == 90) stored = {upright.y, bottom - upright.x};
  if (orientation.clockwise == 180) stored = {right - upright.x, bottom - upright.y};
  if (orientation.clockwise == 270) stored = {right - upright.y, upright.x};
  if (orientation.flip) stored.x = right - stored.x;
  return stored;
}

Placement place(const Orientation& orientation, std::ptrdiff_t size) {
  const std::ptrdiff_t end = size - 1;
  Placement p{0, 1, size};
  if (orientation.clockwise == 90) p = {end, size, -1};
  if (orientation.clockwise == 180) p = {end * size + end, -1, -size};
  if (orientation.clockwise == 270) p = {end * size, -size, 1};
  if (orientation.flip) p = {p.origin + end * p.step_x, -p.step_x, p.step_y};
  return p;
}

}  // namespace

Geometry plan_geometry(const PictureFormat& format, const TensorSpec& spec, Coverage coverage) {
  double shown_width = format.width * format.pixel_aspect, shown_height = format.height;
  const bool turned = format.orientation.clockwise % 180 != 0;
  if (turned) std::swap(shown_width, shown_height);

  const int size = spec.size;
  if (coverage == Coverage::kSquash) return {size, size, {Window{}}, place(format.orientation, size)};
  const int side = spec.resize_to == 0 ? size : spec.resize_to;
  Geometry geometry{side, side, {}, place(format.orientation, size)};
  const int across = starts(side, size, 1, spec.crop).front();  // where windows start along the shorter side
  const auto add = [&](Window upright) {
    geometry.windows.push_back(as_stored(upright, format.orientation, geometry.width, geometry.height, size));
  };
  if (coverage == Coverage::kCentre && spec.resize == Resize::kSquash) {
    add({across, across});
    return geometry;
  }
  const bool wide = shown_width >= shown_height;
  const double ratio = wide ? shown_width / shown_height : shown_height / shown_width;
  const int longest =
      spec.crop == Crop::kRounded ? round_half_even(side * ratio) : static_cast<int>(side * ratio + kSlack);
  // The stored picture is wide if the upright one is wide and was not turned by 90 degrees, or the opposite.
  (wide != turned ? geometry.width : geometry.height) = longest;
  const int count = coverage == Coverage::kTiles ? tile_count(ratio * side / size) : 1;
  for (const int start : starts(longest, size, count, spec.crop))
    add(wide ? Window{start, across} : Window{across, start});
  return geometry;
}

Rect seen_part(const PictureFormat& format, const TensorSpec& spec, Coverage coverage) {
  const Geometry geometry = plan_geometry(format, spec, coverage);
  Window first = geometry.windows.front(), last = first;
  for (const Window& window : geometry.windows) {
    first = {std::min(first.x, window.x), std::min(first.y, window.y)};
    last = {std::max(last.x, window.x), std::max(last.y, window.y)};
  }
  // Converts pixels of the resized picture to those of the stored one, rounded outwards.
  const auto down = [](int at, int side, int resized) { return static_cast<int>(std::int64_t{at} * side / resized); };
  const auto up = [](int at, int side, int resized) {
    return std::min(side, static_cast<int>((std::int64_t{at} * side + resized - 1) / resized));
  };
  const int left = down(first.x, format.width, geometry.width), top = down(first.y, format.height, geometry.height);
  return {left, top, up(last.x + spec.size, format.width, geometry.width) - left,
          up(last.y + spec.size, format.height, geometry.height) - top};
}

}  // namespace bcp::image

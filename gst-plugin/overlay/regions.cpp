// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/regions.hpp"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "overlay/analytics.hpp"

namespace bcp::overlay {
namespace {

std::uint32_t premultiplied(Rgb colour, double alpha) {
  const auto part = [alpha](std::uint8_t c) { return static_cast<std::uint32_t>(std::lround(c * alpha)); };
  return static_cast<std::uint32_t>(std::lround(255 * alpha)) << 24 | part(colour.r) << 16 | part(colour.g) << 8 |
         part(colour.b);
}

// The visible part of the region with this id: a region of interest, or else a detected object.
std::optional<image::Rect> visible_box(GstBuffer* buffer, int id, const Geometry& geometry) {
  std::optional<image::Rect> box;
  if (const GstVideoRegionOfInterestMeta* roi = gst_buffer_get_video_region_of_interest_meta_id(buffer, id)) {
    box = {static_cast<int>(roi->x), static_cast<int>(roi->y), static_cast<int>(roi->w), static_cast<int>(roi->h)};
  } else {
    box = object_box(buffer, id);
  }
  if (!box) return std::nullopt;
  const auto clip = [](std::int64_t place, int side) {
    return static_cast<int>(std::clamp<std::int64_t>(place, 0, side));
  };
  const int left = clip(box->x, geometry.width), right = clip(std::int64_t{box->x} + box->width, geometry.width);
  const int top = clip(box->y, geometry.height), bottom = clip(std::int64_t{box->y} + box->height, geometry.height);
  if (left >= right || top >= bottom) return std::nullopt;
  return image::Rect{left, top, right - left, bottom - top};
}

bool overlap(const Picture& a, const Picture& b) {
  return a.x() < b.x() + b.image().width && b.x() < a.x() + a.image().width && a.y() < b.y() + b.image().height &&
         b.y() < a.y() + a.image().height;
}

// Above the box, or inside it if there is no room above, or at its lower edge if the panel would hide it.
void place(Picture& tag, const image::Rect& box, const Picture* panel, const Geometry& geometry) {
  const int above = box.y - tag.image().height;
  tag.move(box.x, above >= 0 ? above : box.y, geometry.width, geometry.height);
  if (panel && overlap(tag, *panel)) {
    tag.move(box.x, box.y + box.height - tag.image().height, geometry.width, geometry.height);
  }
}

// A rectangle of pixels of the frame.
struct Part {
  int left, top, right, bottom;
  bool empty() const { return left >= right || top >= bottom; }
};

// A box on the frame, and the horizontal and vertical thickness of its outline.
struct Outline {
  int x, y, width, height;
  int across, down;
  std::uint32_t line, edge;  // the outline has a dark edge on both sides, so that it is visible on every picture

  // The colour of the pixel (px, py) of the frame.
  std::uint32_t pixel(int px, int py) const {
    const int dx = std::min(px - x, x + width - 1 - px), dy = std::min(py - y, y + height - 1 - py);
    if (dx < 0 || dy < 0 || (dx > across && dy > down)) return 0;
    return dx == 0 || dy == 0 || (dx >= across && dy >= down) ? edge : line;
  }

  Image part(const Part& p) const {
    const int left = grid_down(p.left), top = grid_down(p.top);
    Image image(grid_up(p.right - left), grid_up(p.bottom - top));
    for (int py = p.top; py < p.bottom; ++py) {
      for (int px = p.left; px < p.right; ++px) image.row(py - top)[px - left] = pixel(px, py);
    }
    return image;
  }
};

}  // namespace

void Regions::begin() {
  for (auto& [id, region] : regions_) region.seen = false;
  order_.clear();
}

int Regions::see(GstBuffer* buffer, const GstBcpResult* result, bool dimmed, const Settings& settings,
                 const Geometry& geometry, Painter& painter) {
  const int id = gst_bcp_result_get_region_id(result);
  const std::optional<image::Rect> box = visible_box(buffer, id, geometry);
  if (!box) return 0;

  int drawn = 0;
  Region& region = regions_[id];
  if (!region.seen) order_.push_back(&region);
  region.seen = true;
  if (region.result.get() != result || region.dimmed != dimmed) {
    region.result.reset(gst_bcp_result_ref(const_cast<GstBcpResult*>(result)));
    region.dimmed = dimmed;
    Settings shown_only = settings;
    shown_only.show &= ~(static_cast<unsigned>(kShowRemoved) | kShowAll | kShowReason);
    shown_only.compare = false;
    PanelText text = panel_text(result, dimmed, shown_only);
    region.visible = !text.empty();
    if (region.visible && (!region.tag || text != region.text)) {
      region.tag = std::make_unique<Picture>(painter.tag(text, settings, geometry));
      region.text = std::move(text);
      ++drawn;
    }
  }
  if (!region.visible) return drawn;

  region.box = *box;
  draw_outline(region, settings, geometry, drawn);
  return drawn;
}

void Regions::draw_outline(Region& region, const Settings& settings, const Geometry& geometry, int& drawn) {
  const auto [x, y, width, height] = region.box;
  const int thick = std::max(2, static_cast<int>(geometry.text_size() * settings.scale / 6)) + 1;
  const int across = std::max(2, static_cast<int>(std::lround(thick / geometry.pixel_aspect)));
  // Drawn as four sides, so that the inside of a large box costs nothing.
  const int right = x + width, bottom = y + height;
  const int inner_top = std::min(y + thick + 1, bottom), inner_bottom = std::max(bottom - thick - 1, inner_top);
  const int inner_left = std::min(x + across + 1, right), inner_right = std::max(right - across - 1, inner_left);
  const std::array<Part, 4> sides{{{x, y, right, inner_top},
                                   {x, inner_bottom, right, bottom},
                                   {x, inner_top, inner_left, inner_bottom},
                                   {inner_right, inner_top, right, inner_bottom}}};

  const Region::Key key{x % kGrid, y % kGrid, width, height, region.text.lines.front().colour, region.dimmed};
  if (region.outline.empty() || region.key != key) {
    const double alpha = settings.opacity * (region.dimmed ? 0.5 : 1);
    const Outline box{
        x, y, width, height, across, thick, premultiplied(key.colour, alpha), premultiplied(kPanel, 0.6 * alpha)};
    region.outline.clear();
    for (const Part& side : sides) {
      region.outline.push_back(side.empty() ? nullptr : std::make_unique<Picture>(box.part(side)));
    }
    region.key = key;
    ++drawn;
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    // Allows the padding to the grid to extend beyond the frame.
    if (Picture* side = region.outline[i].get()) {
      side->move(sides[i].left, sides[i].top, geometry.width + 2 * kGrid, geometry.height + 2 * kGrid);
    }
  }
}

void Regions::end(const Picture* panel, const Geometry& geometry, std::vector<Picture*>& into) {
  for (const Region* region : order_) {
    if (!region->visible) continue;
    for (const auto& side : region->outline) {
      if (side) into.push_back(side.get());
    }
  }
  for (const Region* region : order_) {
    if (!region->visible) continue;
    place(*region->tag, region->box, panel, geometry);
    into.push_back(region->tag.get());
  }
  std::erase_if(regions_, [](const auto& entry) { return !entry.second.seen; });
}

}  // namespace bcp::overlay

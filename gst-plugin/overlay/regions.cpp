// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/regions.hpp"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <cmath>

namespace bcp::overlay {
namespace {

std::uint32_t premultiplied(Rgb colour, double alpha) {
  const auto part = [alpha](std::uint8_t c) { return static_cast<std::uint32_t>(std::lround(c * alpha)); };
  return static_cast<std::uint32_t>(std::lround(255 * alpha)) << 24 | part(colour.r) << 16 | part(colour.g) << 8 |
         part(colour.b);
}

// A plain strip, padded to the grid with nothing.
Image strip(int width, int height, std::uint32_t pixel) {
  Image image(grid_up(width), grid_up(height));
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width, pixel);
  return image;
}

}  // namespace

void Regions::begin() {
  for (auto& [id, region] : regions_) region.seen = false;
  order_.clear();
}

int Regions::see(GstBuffer* buffer, const GstBcpResult* result, bool dimmed, const Settings& settings,
                 const Geometry& geometry, Painter& painter) {
  const int id = gst_bcp_result_get_region_id(result);
  const GstVideoRegionOfInterestMeta* box = gst_buffer_get_video_region_of_interest_meta_id(buffer, id);
  if (!box || box->w == 0 || box->h == 0) return 0;
  const auto frame_width = static_cast<guint>(geometry.width), frame_height = static_cast<guint>(geometry.height);
  if (box->x >= frame_width || box->y >= frame_height) return 0;

  int drawn = 0;
  Region& region = regions_[id];
  if (!region.seen) order_.push_back(&region);
  region.seen = true;
  if (region.result.get() != result || region.dimmed != dimmed) {
    region.result.reset(gst_bcp_result_ref(const_cast<GstBcpResult*>(result)));
    region.dimmed = dimmed;
    Settings shown_only = settings;
    shown_only.show &= ~(static_cast<unsigned>(kShowRemoved) | kShowAll);
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

  const int x = static_cast<int>(box->x), y = static_cast<int>(box->y);
  const int width = static_cast<int>(std::min(box->w, frame_width - box->x)),
            height = static_cast<int>(std::min(box->h, frame_height - box->y));
  draw_outline(region, x, y, width, height, settings, geometry, drawn);
  // Above the box, or inside it where there is no room above.
  const int above = y - region.tag->image().height;
  region.tag->move(x, above >= 0 ? above : y, geometry.width, geometry.height);
  return drawn;
}

void Regions::draw_outline(Region& region, int x, int y, int width, int height, const Settings& settings,
                           const Geometry& geometry, int& drawn) {
  const Rgb colour = region.text.lines.front().colour;
  const int thick = std::max(2, static_cast<int>(geometry.text_size() * settings.scale / 9));
  const int across = std::max(1, std::min(width, static_cast<int>(std::lround(thick / geometry.pixel_aspect)))),
            down = std::min(height, thick);
  if (region.outline.empty() || region.colour != colour || region.width != width || region.height != height) {
    region.colour = colour, region.width = width, region.height = height;
    const std::uint32_t pixel = premultiplied(colour, 0.92 * settings.opacity * (region.dimmed ? 0.5 : 1));
    region.outline.clear();
    const auto add = [&](int w, int h) { region.outline.push_back(std::make_unique<Picture>(strip(w, h, pixel))); };
    add(width, down), add(width, down);
    add(across, std::max(1, height - 2 * down)), add(across, std::max(1, height - 2 * down));
    ++drawn;
  }
  const auto place = [&](std::size_t i, int to_x, int to_y) {
    region.outline[i]->move(to_x, to_y, geometry.width + kGrid, geometry.height + kGrid);
  };
  place(0, x, y), place(1, x, y + height - down);
  place(2, x, y + down), place(3, x + width - across, y + down);
}

void Regions::end(std::vector<Picture*>& into) {
  for (const Region* region : order_) {
    if (!region->visible) continue;
    for (const auto& side : region->outline) into.push_back(side.get());
  }
  for (const Region* region : order_) {
    if (region->visible) into.push_back(region->tag.get());
  }
  std::erase_if(regions_, [](const auto& entry) { return !entry.second.seen; });
}

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The results of regions as pictures: an outline of the box in the label's colour, and a tag at its corner.
//
// A result has the id of its region, but no coordinates. These are read from the region's meta, which elements that
// scale or crop have adjusted.
//
// Thread safety: none. One instance belongs to one streaming thread.

#pragma once

#include <gst/bcp/gstbcpmeta.h>

#include <map>
#include <memory>
#include <vector>

#include "image/picture.hpp"
#include "overlay/panel.hpp"
#include "overlay/picture.hpp"
#include "support/owners.hpp"

namespace bcp::overlay {

class Regions {
 public:
  // Begins a frame.
  void begin();
  // Adds the result of one region. `dimmed` as for panels. Returns how many pictures were drawn.
  int see(GstBuffer* buffer, const GstBcpResult* result, bool dimmed, const Settings& settings,
          const Geometry& geometry, Painter& painter);
  // Ends a frame: appends the pictures, in the order of see(), and drops regions that this frame does not have. Tags do
  // not overlap the panel, if there is one.
  void end(const Picture* panel, const Geometry& geometry, std::vector<Picture*>& into);
  void clear() { regions_.clear(); }

 private:
  struct Region {
    gst::BcpResultPtr result;
    bool dimmed = false, seen = false, visible = false;
    PanelText text;
    image::Rect box;  // the part inside the frame
    std::unique_ptr<Picture> tag;
    struct Key {
      int x = 0, y = 0, width = 0, height = 0;  // x and y relative to the grid
      Rgb colour;
      bool dimmed = false;
      bool operator==(const Key&) const = default;
    } key;                                          // what the outline was drawn for
    std::vector<std::unique_ptr<Picture>> outline;  // its sides; null for a side that does not fit
  };

  void draw_outline(Region& region, const Settings& settings, const Geometry& geometry, int& drawn);

  std::map<int, Region> regions_;  // by id
  std::vector<Region*> order_;
};

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The results of regions as pictures: an outline of the box in the label's colour, and a tag at its corner.
//
// A result carries the id of its region and no coordinates; those are read from the region's own meta, which every
// scaling and cropping on the way has kept right.
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
  // Begins a frame: nothing is seen yet.
  void begin();
  // One region's result. `dimmed` as for panels. Returns how many pictures had to be drawn anew.
  int see(GstBuffer* buffer, const GstBcpResult* result, bool dimmed, const Settings& settings,
          const Geometry& geometry, Painter& painter);
  // Ends a frame: appends the pictures to draw, in the order they were seen, and forgets regions that are gone. Tags
  // keep out of the panel's way, if there is one.
  void end(const Picture* panel, const Geometry& geometry, std::vector<Picture*>& into);
  void clear() { regions_.clear(); }

 private:
  struct Region {
    gst::BcpResultPtr result;
    bool dimmed = false, seen = false, visible = false;
    PanelText text;
    image::Rect box;  // as far as it is in the frame
    std::unique_ptr<Picture> tag;
    struct Key {
      int x = 0, y = 0, width = 0, height = 0;  // the first two as far as they move pixels on the grid
      Rgb colour;
      bool dimmed = false;
      bool operator==(const Key&) const = default;
    } key;                                          // what the outline was drawn for
    std::vector<std::unique_ptr<Picture>> outline;  // its sides; null for one there is no room for
  };

  void draw_outline(Region& region, const Settings& settings, const Geometry& geometry, int& drawn);

  std::map<int, Region> regions_;  // by id
  std::vector<Region*> order_;
};

}  // namespace bcp::overlay

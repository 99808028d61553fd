// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Draws panels and the tags of regions as premultiplied pictures.
//
// Thread safety: none. One instance belongs to one streaming thread.

#pragma once

#include "overlay/geometry.hpp"
#include "overlay/image.hpp"
#include "overlay/lettering.hpp"
#include "overlay/panel_layout.hpp"
#include "overlay/panel_text.hpp"
#include "overlay/settings.hpp"

namespace bcp::overlay {

// The space between a panel and the edges of its frame, in pixels, horizontally and vertically.
struct Margin {
  int x, y;
};
Margin margin_of(const Settings& settings, const Geometry& geometry);

class Painter {
 public:
  // The panel, sized for the frame and never larger than it. REQUIRES: text is not empty.
  Image panel(const PanelText& text, const Settings& settings, const Geometry& geometry);

  // The tag of a region: the name and probability of its most likely label, with the label's colour as background.
  // REQUIRES: text has a line.
  Image tag(const PanelText& text, const Settings& settings, const Geometry& geometry);

  Lettering& lettering() { return lettering_; }

 private:
  void set_type(const Settings& settings, const Geometry& geometry);

  Lettering lettering_;
};

}  // namespace bcp::overlay

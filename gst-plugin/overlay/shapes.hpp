// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The shapes in a panel. They are drawn and not taken from a font, because the symbols of fonts differ between
// machines.

#pragma once

#include <cairo.h>

#include "overlay/palette.hpp"

namespace bcp::overlay {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

void set_colour(cairo_t* cr, Rgb colour, double alpha = 1);

void fill_rounded(cairo_t* cr, const Box& box, double radius);
void stroke_rounded(cairo_t* cr, const Box& box, double radius, double line);

// A light grey track; the fraction `share` in [0, 1] of it is filled with `colour`.
void draw_bar(cairo_t* cr, const Box& box, double share, Rgb colour, double alpha);

// An anchor, an arrow head up or down; each fills a square around (x, y) with sides of `size`.
void draw_anchor(cairo_t* cr, double x, double y, double size);
void draw_arrow(cairo_t* cr, double x, double y, double size, bool up);

}  // namespace bcp::overlay

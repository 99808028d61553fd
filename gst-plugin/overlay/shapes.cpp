// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/shapes.hpp"

#include <algorithm>
#include <numbers>

namespace bcp::overlay {
namespace {

constexpr double kPi = std::numbers::pi;

void rounded_path(cairo_t* cr, const Box& b, double radius) {
  const double r = std::min({radius, b.width / 2, b.height / 2});
  cairo_new_sub_path(cr);
  cairo_arc(cr, b.x + b.width - r, b.y + r, r, -kPi / 2, 0);
  cairo_arc(cr, b.x + b.width - r, b.y + b.height - r, r, 0, kPi / 2);
  cairo_arc(cr, b.x + r, b.y + b.height - r, r, kPi / 2, kPi);
  cairo_arc(cr, b.x + r, b.y + r, r, kPi, 1.5 * kPi);
  cairo_close_path(cr);
}

}  // namespace

void set_colour(cairo_t* cr, Rgb colour, double alpha) {
  cairo_set_source_rgba(cr, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0, alpha);
}

void fill_rounded(cairo_t* cr, const Box& box, double radius) {
  rounded_path(cr, box, radius);
  cairo_fill(cr);
}

void stroke_rounded(cairo_t* cr, const Box& box, double radius, double line) {
  const double half = line / 2;
  rounded_path(cr, {box.x + half, box.y + half, box.width - line, box.height - line}, radius - half);
  cairo_set_line_width(cr, line);
  cairo_stroke(cr);
}

void draw_bar(cairo_t* cr, const Box& box, double share, Rgb colour, double alpha) {
  const double radius = box.height / 2;
  cairo_set_source_rgba(cr, 1, 1, 1, 0.14 * alpha);
  fill_rounded(cr, box, radius);
  if (share <= 0) return;
  // Clipped, not shortened, so that a short bar keeps the round end of the track.
  cairo_save(cr);
  cairo_rectangle(cr, box.x, box.y, std::max(box.width * std::min(share, 1.0), box.height / 4), box.height);
  cairo_clip(cr);
  set_colour(cr, colour, alpha);
  fill_rounded(cr, box, radius);
  cairo_restore(cr);
}

void draw_anchor(cairo_t* cr, double x, double y, double size) {
  const double unit = size / 16, line = 1.8 * unit;
  cairo_save(cr);
  cairo_translate(cr, x, y);
  cairo_set_line_width(cr, line);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_new_path(cr);
  cairo_arc(cr, 0, -5.4 * unit, 1.7 * unit, 0, 2 * kPi);  // the ring
  cairo_stroke(cr);
  cairo_move_to(cr, 0, -3.6 * unit);  // the shank
  cairo_line_to(cr, 0, 6.4 * unit);
  cairo_move_to(cr, -3 * unit, -1.2 * unit);  // the stock
  cairo_line_to(cr, 3 * unit, -1.2 * unit);
  cairo_stroke(cr);
  cairo_arc(cr, 0, 0.6 * unit, 5.9 * unit, 0.06 * kPi, 0.94 * kPi);  // the arms
  cairo_stroke(cr);
  for (const double side : {-1.0, 1.0}) {  // the flukes
    cairo_move_to(cr, side * 7.6 * unit, 2.6 * unit);
    cairo_line_to(cr, side * 5.9 * unit, -0.6 * unit);
    cairo_line_to(cr, side * 3.6 * unit, 2.4 * unit);
    cairo_close_path(cr);
    cairo_fill(cr);
  }
  cairo_restore(cr);
}

void draw_arrow(cairo_t* cr, double x, double y, double size, bool up) {
  const double half = size / 2, tip = up ? -half : half;
  cairo_move_to(cr, x, y + 0.8 * tip);
  cairo_line_to(cr, x + half, y - 0.8 * tip);
  cairo_line_to(cr, x - half, y - 0.8 * tip);
  cairo_close_path(cr);
  cairo_fill(cr);
}

}  // namespace bcp::overlay

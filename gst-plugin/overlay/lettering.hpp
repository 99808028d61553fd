// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of text, shaped by pango: any script, either direction, emoji. Text is drawn literally, never as markup.
//
// A line is shaped once and kept, because the same few labels and numbers come back frame after frame.
//
// Thread safety: none. One instance belongs to one streaming thread.

#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "overlay/cairo_owners.hpp"

namespace bcp::overlay {

enum class Weight { kNormal, kBold, kSmall };

class Lettering {
 public:
  Lettering();

  // What the following lines are set in; keeps what was shaped as long as neither changes. `font` is a pango font
  // description whose own size is not looked at; `size` is the em in units of the cairo context drawn to.
  void use(const std::string& font, double size);
  double em() const { return size_; }

  // The size that `font` names, in pixels, or 0 when it names none.
  static double size_in(const std::string& font);

  // A line of `text`, cut with an ellipsis when it is wider than `width` (0: however wide). Valid until the next call
  // of use() or line().
  PangoLayout* line(const std::string& text, Weight weight = Weight::kNormal, double width = 0);

  double width(const std::string& text, Weight weight = Weight::kNormal);
  double ascent() const { return ascent_; }    // of the font's ordinary letters
  double descent() const { return descent_; }  // both at size em()

  // Draws `text` with its base line at `y`. A line that reads from right to left ends at x + width.
  void draw(cairo_t* cr, const std::string& text, double x, double y, Weight weight = Weight::kNormal,
            double width = 0);

 private:
  FontMapPtr map_;
  PangoContextPtr context_;
  std::string font_;
  double size_ = 0, ascent_ = 0, descent_ = 0;
  std::unordered_map<std::string, LayoutPtr> lines_;
};

}  // namespace bcp::overlay

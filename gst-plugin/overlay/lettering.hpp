// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of text, shaped by pango: any script and direction, emoji. Text is drawn as plain text, never as markup.
//
// Shaped lines are cached, because most frames show the same labels and numbers.
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

  // Sets the font and size of the following lines; clears the cache if one has changed. `font` is a pango font
  // description, whose size is ignored; `size` is the em in units of the cairo context.
  void use(const std::string& font, double size);
  double em() const { return size_; }

  // The size in `font`, in pixels; 0 if it has no size.
  static double size_in(const std::string& font);

  // A line of `text`, cut with an ellipsis if it is wider than `width` (0: no limit). Valid until the next call of
  // use() or line().
  PangoLayout* line(const std::string& text, Weight weight = Weight::kNormal, double width = 0);

  double width(const std::string& text, Weight weight = Weight::kNormal);
  double ascent() const { return ascent_; }    // of the font's ordinary letters
  double descent() const { return descent_; }  // both at size em()

  // Draws `text` with its base line at `y`. Right-to-left text is aligned to x + width.
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

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/panel.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "overlay/shapes.hpp"

namespace bcp::overlay {
namespace {

constexpr double kGround = 0.74;  // opacity of the panel itself: white shows through it as a dark grey
constexpr double kDimmed = 0.5, kNotShown = 0.5, kQuiet = 0.68;

// "+3"
std::string counted(int labels) {
  return std::to_string(labels).insert(0, 1, '+');
}

// A picture of `width` by `height` square units, drawn by `draw` in those units.
template <typename Draw>
Image drawn(double width, double height, const Settings& settings, const Geometry& geometry, Draw draw) {
  const auto pixels = [](double length, int most) {
    return grid_up(std::clamp(static_cast<int>(std::ceil(length)), 1, std::max(most, 1)));
  };
  Image image(pixels(width / geometry.pixel_aspect, geometry.width), pixels(height, geometry.height));
  const SurfacePtr surface(cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(image.pixels.data()),
                                                               CAIRO_FORMAT_ARGB32, image.width, image.height,
                                                               image.width * 4));
  const CairoPtr cr(cairo_create(surface.get()));
  cairo_scale(cr.get(), 1 / geometry.pixel_aspect, 1);
  const bool translucent = settings.opacity < 1;
  if (translucent) cairo_push_group(cr.get());
  draw(cr.get());
  if (translucent) {
    cairo_pop_group_to_source(cr.get());
    cairo_paint_with_alpha(cr.get(), settings.opacity);
  }
  cairo_surface_flush(surface.get());
  return image;
}

// Draws one panel.
class Drawing {
 public:
  Drawing(cairo_t* cr, const PanelText& text, const PanelLayout& layout, Lettering& lettering)
      : cr_(cr), text_(text), layout_(layout), lettering_(lettering), em_(lettering.em()) {}

  void all() {
    ground();
    if (text_.dimmed) cairo_push_group(cr_);
    words();
    for (std::size_t i = 0; i < layout_.lines; ++i) {
      line(text_.lines[i], layout_.top + static_cast<double>(i) * layout_.row);
    }
    if (text_.dimmed) {
      cairo_pop_group_to_source(cr_);
      cairo_paint_with_alpha(cr_, kDimmed);
    }
  }

 private:
  void ground() {
    const Box box{0, 0, layout_.width, layout_.height};
    set_colour(cr_, kPanel, kGround);
    fill_rounded(cr_, box, 0.45 * em_);
    cairo_set_source_rgba(cr_, 1, 1, 1, 0.12);
    stroke_rounded(cr_, box, 0.45 * em_, std::max(1.0, em_ / 20));
  }

  void white(double alpha) { cairo_set_source_rgba(cr_, 1, 1, 1, alpha); }

  void small(const std::string& words, double x, double base, double width = 0) {
    white(kQuiet);
    lettering_.draw(cr_, words, x, base, Weight::kSmall, width);
  }

  // The heading and the footer.
  void words() {
    const double row = 1.2 * em_, inside = layout_.width - 2 * layout_.pad;
    double base = layout_.pad + 0.85 * em_;
    if (layout_.heading) {
      small(text_.heading, layout_.pad, base, inside);
      base += row;
    }
    if (layout_.titles) {
      title(kPlainTitle, layout_.plain_bar, layout_.plain, base);
      title(text_.presence ? kPresenceTitle : kCorrectedTitle, layout_.bar, layout_.probability, base);
      title(kPriorTitle, {}, layout_.prior, base);
      title(kEvidenceTitle, {}, layout_.evidence, base);
    }
    if (!text_.note.empty()) {
      white(kQuiet);
      lettering_.draw(cr_, text_.note, layout_.name.x, baseline(layout_.top), Weight::kNormal, layout_.name.width);
    }
    base = layout_.top + layout_.rows() * layout_.row + 0.95 * em_;
    if (layout_.more > 0) {
      small(counted(layout_.more) + " more", layout_.name.x, base);
      base += row;
    }
    if (layout_.footer) small(text_.footer, layout_.pad, base, inside);
  }

  // Left-aligned with its bar and number, or right-aligned if it is wider than both.
  void title(const char* words, const Column& bar, const Column& number, double base) {
    if (!bar && !number) return;
    const double left = bar ? bar.x : number.x, right = number ? number.x + number.width : bar.x + bar.width;
    small(words, std::min(left, right - lettering_.width(words, Weight::kSmall)), base);
  }

  double baseline(double top) const { return top + (layout_.row + lettering_.ascent() - lettering_.descent()) / 2; }

  void line(const PanelLine& line, double top) {
    const double base = baseline(top);
    const double middle = top + layout_.row / 2;
    const double loud = line.shown ? 1 : kNotShown;
    if (text_.compare && (line.added() || line.removed())) highlight(line, top);
    if (line.anchor && layout_.marker) {
      white(1);
      draw_anchor(cr_, layout_.marker.x + 0.5 * em_, middle, 0.98 * em_);
    }
    name(line, base, line.shown || (text_.compare && line.plain_shown) ? 1 : kNotShown);
    if (text_.compare) {
      share(layout_.plain_bar, layout_.plain, line.plain, false, line, base, middle, line.plain_shown ? 1 : kNotShown);
    }
    share(layout_.bar, layout_.probability, line.probability, text_.approximate, line, base, middle, loud);
    reason(layout_.prior, probability_text(line.prior), base);
    reason(layout_.evidence, correction_text(line.evidence), base);
    change(line, base, middle);
  }

  // Marks a line whose decision differs between plain CLIP and the result.
  void highlight(const PanelLine& line, double top) {
    const double edge = layout_.pad / 2;
    set_colour(cr_, line.added() ? kRaised : kLowered, 0.2);
    fill_rounded(cr_, {edge, top + 0.04 * em_, layout_.width - 2 * edge, layout_.row - 0.08 * em_}, 0.3 * em_);
  }

  void name(const PanelLine& line, double base, double loud) {
    layout_.bar || text_.compare ? white(loud) : set_colour(cr_, readable(line.colour), loud);
    const double width = layout_.name.width;
    lettering_.draw(cr_, line.name, layout_.name.x, base, Weight::kNormal, width);
    if (!line.removed() || text_.compare) return;
    PangoRectangle logical;
    pango_layout_get_extents(lettering_.line(line.name, Weight::kNormal, width), nullptr, &logical);
    const double x = layout_.name.x + pango_units_to_double(logical.x), y = base - 0.29 * em_;
    cairo_set_line_width(cr_, std::max(1.0, em_ / 14));
    cairo_move_to(cr_, x, y);
    cairo_line_to(cr_, x + pango_units_to_double(logical.width), y);
    cairo_stroke(cr_);
  }

  // Less prominent than the probability that it explains.
  void reason(const Column& column, const std::string& digits, double base) {
    if (!column) return;
    white(kQuiet);
    lettering_.draw(cr_, digits, column.x + column.width - lettering_.width(digits), base);
  }

  void share(const Column& bar, const Column& number, int hundredths, bool approximate, const PanelLine& line,
             double base, double middle, double loud) {
    if (bar) draw_bar(cr_, {bar.x, middle - 0.27 * em_, bar.width, 0.54 * em_}, hundredths / 100.0, line.colour, loud);
    if (!number) return;
    white(loud);
    const std::string digits = probability_text(hundredths, approximate);
    lettering_.draw(cr_, digits, number.x + number.width - lettering_.width(digits), base);
  }

  void change(const PanelLine& line, double base, double middle) {
    if (line.correction != 0 && layout_.change) {
      set_colour(cr_, line.correction > 0 ? kRaised : kLowered);
      draw_arrow(cr_, layout_.change.x + 0.32 * em_, middle, 0.56 * em_, line.correction > 0);
      lettering_.draw(cr_, correction_text(line.correction), layout_.change.x + 0.78 * em_, base);
    }
    if (!layout_.badge) return;
    if (line.added()) badge("new", kRaised, base, middle);
    if (line.removed() && text_.compare) badge("gone", kLowered, base, middle);
  }

  void badge(const char* word, Rgb colour, double base, double middle) {
    const double width = lettering_.width(word, Weight::kSmall) + 0.7 * em_;
    set_colour(cr_, colour);
    fill_rounded(cr_, {layout_.badge.x, middle - 0.5 * em_, width, em_}, 0.5 * em_);
    set_colour(cr_, kPanel);
    lettering_.draw(cr_, word, layout_.badge.x + 0.35 * em_, base - 0.07 * em_, Weight::kSmall);
  }

  cairo_t* cr_;
  const PanelText& text_;
  const PanelLayout& layout_;
  Lettering& lettering_;
  double em_;
};

}  // namespace

Margin margin_of(const Settings& settings, const Geometry& geometry) {
  const double space = std::min(0.7 * geometry.text_size() * settings.scale,
                                0.03 * std::min(geometry.seen_width(), geometry.seen_height()));
  return {static_cast<int>(space / geometry.pixel_aspect), static_cast<int>(space)};
}

void Painter::set_type(const Settings& settings, const Geometry& geometry) {
  const double asked = Lettering::size_in(settings.font);
  const double size = asked > 0 ? geometry.text_size(asked) : geometry.text_size();
  // Limited to what fits, whatever the settings are.
  const double most = std::max(4.0, std::min(geometry.seen_width(), geometry.seen_height()) / 2);
  lettering_.use(settings.font, std::clamp(size * settings.scale, 4.0, most));
}

Image Painter::panel(const PanelText& text, const Settings& settings, const Geometry& geometry) {
  set_type(settings, geometry);
  const Margin margin = margin_of(settings, geometry);
  const PanelLayout layout =
      lay_out(text, settings.show, lettering_, geometry.seen_width() - 2 * margin.x * geometry.pixel_aspect,
              geometry.seen_height() - 2 * margin.y);
  return drawn(layout.width, layout.height, settings, geometry,
               [&](cairo_t* cr) { Drawing(cr, text, layout, lettering_).all(); });
}

Image Painter::tag(const PanelText& text, const Settings& settings, const Geometry& geometry) {
  set_type(settings, geometry);
  const PanelLine& line = text.lines.front();
  const double em = lettering_.em(), pad = 0.35 * em, height = 1.3 * em;
  std::string digits = settings.show & kShowProbability ? probability_text(line.probability, text.approximate) : "";
  const auto others = static_cast<int>(text.lines.size()) - 1 + text.more;
  if (others > 0) digits.append(digits.empty() ? "" : " ").append(counted(others));
  const double tail = digits.empty() ? 0 : lettering_.width(digits) + 0.4 * em;
  const double room = geometry.seen_width() - 2 * pad - tail;
  const double name = std::min({lettering_.width(line.name) + 1, 12 * em, std::max(room, em)});
  return drawn(name + tail + 2 * pad, height, settings, geometry, [&](cairo_t* cr) {
    const double ink = text.dimmed ? kDimmed : 1;
    set_colour(cr, line.colour, 0.92 * ink);
    fill_rounded(cr, {0, 0, name + tail + 2 * pad, height}, 0.25 * em);
    set_colour(cr, ink_on(line.colour));
    const double base = (height + lettering_.ascent() - lettering_.descent()) / 2;
    lettering_.draw(cr, line.name, pad, base, Weight::kNormal, name);
    if (!digits.empty()) lettering_.draw(cr, digits, pad + name + 0.4 * em, base);
  });
}

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/lettering.hpp"

#include <algorithm>

namespace bcp::overlay {
namespace {

constexpr std::size_t kMaxLines = 2000;  // cached lines; the cache is cleared when it is full
constexpr double kSmall = 0.82;

FontDescriptionPtr description(const std::string& font, double size, Weight weight) {
  FontDescriptionPtr result(pango_font_description_from_string(font.c_str()));
  pango_font_description_set_absolute_size(result.get(), size * (weight == Weight::kSmall ? kSmall : 1) * PANGO_SCALE);
  if (weight == Weight::kBold && pango_font_description_get_weight(result.get()) < PANGO_WEIGHT_BOLD) {
    pango_font_description_set_weight(result.get(), PANGO_WEIGHT_BOLD);
  }
  return result;
}

}  // namespace

Lettering::Lettering() : map_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(map_.get())) {
  // Hinting rounds to whole pixels, so the relative width of a line would depend on the size of the frame.
  const FontOptionsPtr options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(context_.get(), options.get());
  pango_context_set_round_glyph_positions(context_.get(), FALSE);
}

void Lettering::use(const std::string& font, double size) {
  if (font == font_ && size == size_) return;
  font_ = font;
  size_ = size;
  lines_.clear();
  PangoFontMetrics* metrics =
      pango_context_get_metrics(context_.get(), description(font_, size_, Weight::kNormal).get(), nullptr);
  ascent_ = pango_units_to_double(pango_font_metrics_get_ascent(metrics));
  descent_ = pango_units_to_double(pango_font_metrics_get_descent(metrics));
  pango_font_metrics_unref(metrics);
}

double Lettering::size_in(const std::string& font) {
  const FontDescriptionPtr parsed(pango_font_description_from_string(font.c_str()));
  return std::max(0.0, pango_units_to_double(pango_font_description_get_size(parsed.get())));
}

PangoLayout* Lettering::line(const std::string& text, Weight weight, double width) {
  const int limit = width > 0 ? pango_units_from_double(width) : -1;
  std::string key = text;
  key += '\0';
  key += static_cast<char>('0' + static_cast<int>(weight));
  if (limit > 0) key += std::to_string(limit);
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second.get();

  if (lines_.size() >= kMaxLines) lines_.clear();
  LayoutPtr layout(pango_layout_new(context_.get()));
  pango_layout_set_font_description(layout.get(), description(font_, size_, weight).get());
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), text.c_str(), static_cast<int>(text.size()));
  if (limit > 0) {
    pango_layout_set_width(layout.get(), limit);
    pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
  }
  return (lines_[std::move(key)] = std::move(layout)).get();
}

double Lettering::width(const std::string& text, Weight weight) {
  PangoRectangle logical;
  pango_layout_get_extents(line(text, weight), nullptr, &logical);
  return pango_units_to_double(logical.width);
}

void Lettering::draw(cairo_t* cr, const std::string& text, double x, double y, Weight weight, double width) {
  PangoLayout* layout = line(text, weight, width);
  cairo_move_to(cr, x, y - pango_units_to_double(pango_layout_get_baseline(layout)));
  pango_cairo_show_layout(cr, layout);
}

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
// unique_ptr types for reference-counted cairo and pango objects.

#pragma once

#include <pango/pangocairo.h>

#include <memory>

namespace bcp::overlay {

struct Release {
  void operator()(cairo_t* p) const { cairo_destroy(p); }
  void operator()(cairo_surface_t* p) const { cairo_surface_destroy(p); }
  void operator()(PangoFontDescription* p) const { pango_font_description_free(p); }
  void operator()(PangoFontMap* p) const { g_object_unref(p); }
  void operator()(PangoContext* p) const { g_object_unref(p); }
  void operator()(PangoLayout* p) const { g_object_unref(p); }
  void operator()(cairo_font_options_t* p) const { cairo_font_options_destroy(p); }
};

using CairoPtr = std::unique_ptr<cairo_t, Release>;
using SurfacePtr = std::unique_ptr<cairo_surface_t, Release>;
using FontDescriptionPtr = std::unique_ptr<PangoFontDescription, Release>;
using FontMapPtr = std::unique_ptr<PangoFontMap, Release>;
using PangoContextPtr = std::unique_ptr<PangoContext, Release>;
using LayoutPtr = std::unique_ptr<PangoLayout, Release>;
using FontOptionsPtr = std::unique_ptr<cairo_font_options_t, Release>;

}  // namespace bcp::overlay

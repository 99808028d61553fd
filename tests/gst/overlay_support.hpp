// SPDX-License-Identifier: LGPL-2.1-or-later
// Results to draw, and helpers to examine the drawing.
//
// With BCP_OVERLAY_PICTURES=DIRECTORY the tests also write what they drew there, as PNG files.

#pragma once

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/cairo_owners.hpp"
#include "overlay/panel.hpp"
#include "support.hpp"

namespace bcp::test {

constexpr auto kBoth = static_cast<GstBcpScoreFlags>(GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT);
constexpr auto kAdded = GST_BCP_SCORE_SHOWN;
constexpr auto kRemoved = GST_BCP_SCORE_SHOWN_ZERO_SHOT;

struct Scored {
  std::string name;
  double plain, corrected, correction = 0;
  GstBcpScoreFlags flags = kBoth;
};

inline gst::BcpResultPtr scored(const std::vector<Scored>& all, gint anchor = 0, gint region = -1,
                                const char* source = "cam") {
  std::vector<const char*> names;
  std::vector<Score> scores;
  for (const Scored& s : all) {
    names.push_back(s.name.c_str());
    scores.push_back({20, s.correction, 20 + s.correction, s.plain, s.corrected, s.flags});
  }
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names.data(), static_cast<guint>(names.size())));
  const double sureness = all.empty() || anchor < 0 ? 0 : all[static_cast<std::size_t>(anchor)].plain;
  return make_result(labels.get(), scores,
                     {.source_id = source,
                      .pts = 0,
                      .region_id = region,
                      .anchor = anchor,
                      .anchor_probability = sureness,
                      .samples = 412});
}

// A result of a street camera: an anchor, labels raised, lowered, added and removed.
inline std::vector<Scored> busy_street() {
  return {{"car", 0.88, 0.91},
          {"bicycle", 0.12, 0.38, 1.3, kAdded},
          {"person", 0.24, 0.31, 0.4},
          {"boat", 0.26, 0.04, -2.1, kRemoved},
          {"sofa", 0.03, 0.01, -1.2, GST_BCP_SCORE_NONE}};
}

// The same by presence.
struct Present {
  std::string name;
  double plain, presence, prior, evidence;
  GstBcpScoreFlags flags = kBoth;
};

struct Explained {
  const char* context = nullptr;
  double weight = 0;
  bool calibrated = true;
  gint anchor = 0;
  gint region = -1;
};

inline gst::BcpResultPtr present(const std::vector<Present>& all, const Explained& explained = {}) {
  std::vector<const char*> names;
  std::vector<Score> scores;
  for (const Present& p : all) {
    names.push_back(p.name.c_str());
    scores.push_back({20, 0.5, 20.5, p.plain, p.presence, p.flags, p.plain, p.prior, p.evidence});
  }
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names.data(), static_cast<guint>(names.size())));
  return make_result(labels.get(), scores,
                     {.source_id = "cam",
                      .pts = 0,
                      .region_id = explained.region,
                      .anchor = explained.anchor,
                      .anchor_probability = 0.88,
                      .samples = 412,
                      .decision = GST_BCP_DECISION_PRESENCE,
                      .threshold = 0.5,
                      .calibrated = explained.calibrated,
                      .context = explained.context,
                      .context_weight = explained.weight});
}

// Three shown labels, one that only plain CLIP shows, one that is not shown.
inline std::vector<Present> busy_presence() {
  return {{"car", 0.71, 0.97, 0.82, 3.4},
          {"person", 0.14, 0.88, 0.74, 1.2, kAdded},
          {"bicycle", 0.08, 0.61, 0.35, 0.9, kAdded},
          {"boat", 0.22, 0.04, 0.02, 0.6, kRemoved},
          {"sofa", 0.03, 0.01, 0.01, -1.2, GST_BCP_SCORE_NONE}};
}

// Settings with a font that the tests can rely on.
inline overlay::Settings plain_settings() {
  overlay::Settings settings;
  settings.font = "Noto Sans";
  return settings;
}

inline overlay::Image draw(const gst::BcpResultPtr& result, const overlay::Settings& settings, int width = 1920,
                           int height = 1080, bool dimmed = false) {
  overlay::Painter painter;
  return painter.panel(overlay::panel_text(result.get(), dimmed, settings), settings, {width, height, 1});
}

// Writes `image` over stripes of every brightness, if BCP_OVERLAY_PICTURES is set.
inline void show(const overlay::Image& image, const std::string& name) {
  const char* folder = std::getenv("BCP_OVERLAY_PICTURES");
  if (!folder) return;
  const int edge = 16, width = image.width + 2 * edge, height = image.height + 2 * edge;
  const overlay::SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const overlay::CairoPtr cr(cairo_create(surface.get()));
  for (int i = 0; i < 8; ++i) {
    cairo_set_source_rgb(cr.get(), i / 7.0, i / 7.0, i % 3 / 2.0);
    cairo_rectangle(cr.get(), width * i / 8.0, 0, width / 8.0 + 1, height);
    cairo_fill(cr.get());
  }
  auto* pixels = const_cast<std::uint32_t*>(image.pixels.data());
  const overlay::SurfacePtr above(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(pixels), CAIRO_FORMAT_ARGB32, image.width, image.height, image.width * 4));
  cairo_set_source_surface(cr.get(), above.get(), edge, edge);
  cairo_paint(cr.get());
  std::filesystem::create_directories(folder);
  cairo_surface_write_to_png(surface.get(), (std::filesystem::path(folder) / (name + ".png")).c_str());
}

// How bright a pixel is over a ground of brightness `under`, 0 to 255.
inline double brightness(std::uint32_t pixel, double under = 0) {
  const double r = pixel >> 16 & 255, g = pixel >> 8 & 255, b = pixel & 255;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b + under * (255.0 - (pixel >> 24)) / 255;
}

}  // namespace bcp::test

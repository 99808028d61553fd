// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/scene.hpp"

#include <utility>

#include "overlay/analytics.hpp"

namespace bcp::overlay {
namespace {

bool is_dimmed(const GstBcpMeta& meta, const Settings& settings) {
  return meta.held && (!GST_CLOCK_TIME_IS_VALID(meta.age) || meta.age >= settings.dim_after);
}

}  // namespace

void Scene::set_info(const GstVideoInfo& info) {
  info_ = info;
  geometry_ = Geometry::of(info);
  forget();
}

void Scene::forget() {
  result_.reset();
  panel_.reset();
  text_ = {};
  regions_.clear();
  pictures_.clear();
  composition_.reset();
  composed_.clear();
}

bool Scene::update(GstBuffer* buffer, const std::shared_ptr<const Settings>& settings) {
  if (settings != settings_) {
    forget();
    settings_ = settings;
  }
  pictures_.clear();
  if (!settings->enabled || settings->opacity <= 0) return false;

  const GstBcpMeta* whole = nullptr;
  bool any = false;
  regions_.begin();
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    any = true;
    if (gst_bcp_result_get_region_id(meta->result) == -1) {
      if (!whole) whole = meta;
    } else if (settings->show & kShowRegions) {
      drawn_ += static_cast<std::uint64_t>(
          regions_.see(buffer, meta->result, is_dimmed(*meta, *settings), *settings, geometry_, painter_));
    }
  }
  if (whole) {
    const bool dimmed = is_dimmed(*whole, *settings);
    if (whole->result != result_.get() || dimmed != dimmed_) {
      result_.reset(gst_bcp_result_ref(whole->result));
      dimmed_ = dimmed;
      see_panel(panel_text(whole->result, dimmed, *settings));
    }
  } else {
    result_.reset();
    see_panel(any ? PanelText{} : panel_text(frame_classifications(buffer), *settings));
  }
  regions_.end(panel_.get(), geometry_, pictures_);
  if (panel_) pictures_.push_back(panel_.get());
  return !pictures_.empty();
}

void Scene::see_panel(PanelText text) {
  if (text.empty()) {
    panel_.reset();
    text_ = {};
    return;
  }
  if (panel_ && text == text_) return;
  text_ = std::move(text);
  panel_ = std::make_unique<Picture>(painter_.panel(text_, *settings_, geometry_));
  ++drawn_;
  const Margin margin = margin_of(*settings_, geometry_);
  const Position at = settings_->position;
  const bool right = at == Position::kTopRight || at == Position::kBottomRight;
  const bool bottom = at == Position::kBottomLeft || at == Position::kBottomRight;
  const Image& image = panel_->image();
  panel_->move(right ? geometry_.width - margin.x - image.width : margin.x,
               bottom ? geometry_.height - margin.y - image.height : margin.y, geometry_.width, geometry_.height);
}

bool Scene::blend(const GstVideoFrame& frame, int x, int y) {
  bool all = true;
  for (Picture* picture : pictures_) all &= picture->blend(frame, grid_up(x), grid_up(y));
  return all;
}

void Scene::attach(GstBuffer* buffer) {
  std::vector<GstVideoOverlayRectangle*> rectangles;
  GstVideoOverlayCompositionMeta* upstream = gst_buffer_get_video_overlay_composition_meta(buffer);
  // The rectangles of upstream, not copies, so that sinks recognise what they have uploaded already.
  for (guint i = 0; upstream && i < gst_video_overlay_composition_n_rectangles(upstream->overlay); ++i) {
    rectangles.push_back(gst_video_overlay_composition_get_rectangle(upstream->overlay, i));
  }
  for (Picture* picture : pictures_) {
    if (auto* rectangle = picture->rectangle(geometry_.width, geometry_.height)) rectangles.push_back(rectangle);
  }
  if (!composition_ || rectangles != composed_) {
    composition_.reset(gst_video_overlay_composition_new(nullptr));
    for (GstVideoOverlayRectangle* r : rectangles) gst_video_overlay_composition_add_rectangle(composition_.get(), r);
    composed_ = std::move(rectangles);
  }
  if (upstream) gst_buffer_remove_meta(buffer, reinterpret_cast<GstMeta*>(upstream));
  gst_buffer_add_video_overlay_composition_meta(buffer, composition_.get());
}

}  // namespace bcp::overlay

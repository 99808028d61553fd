// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Everything drawn on the frames of a stream: reads the metadata of each frame, keeps the pictures for it, and puts
// them on the frame. A picture is drawn again only when its text or its size has changed.
//
// Thread safety: none. One instance belongs to one streaming thread.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/video/video.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "overlay/panel.hpp"
#include "overlay/picture.hpp"
#include "overlay/regions.hpp"
#include "overlay/settings.hpp"
#include "support/owners.hpp"

namespace bcp::overlay {

class Scene {
 public:
  // Sets the format of the following frames.
  void set_info(const GstVideoInfo& info);

  // Prepares the scene for `buffer`. False if there is nothing to draw.
  bool update(GstBuffer* buffer, const std::shared_ptr<const Settings>& settings);

  // Blends the scene into a frame mapped for reading and writing, whose visible part begins at (x, y). False if its
  // format is not supported.
  bool blend(const GstVideoFrame& frame, int x = 0, int y = 0);
  // Attaches the scene to a writable buffer, above the overlays of upstream.
  void attach(GstBuffer* buffer);

  std::uint64_t drawn() const { return drawn_; }  // pictures so far

 private:
  struct Release {
    void operator()(GstVideoOverlayComposition* p) const { gst_video_overlay_composition_unref(p); }
  };
  using CompositionPtr = std::unique_ptr<GstVideoOverlayComposition, Release>;

  void see_panel(PanelText text);
  void forget();

  GstVideoInfo info_{};
  Geometry geometry_;
  std::shared_ptr<const Settings> settings_;
  Painter painter_;
  Regions regions_;
  std::uint64_t drawn_ = 0;

  gst::BcpResultPtr result_;  // the result in panel_; null if that shows another element's classification
  bool dimmed_ = false;
  PanelText text_;
  std::unique_ptr<Picture> panel_;

  std::vector<Picture*> pictures_;  // of the current frame, lowest first
  CompositionPtr composition_;      // of the last frame, and its parts
  std::vector<GstVideoOverlayRectangle*> composed_;
};

}  // namespace bcp::overlay

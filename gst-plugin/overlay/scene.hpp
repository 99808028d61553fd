// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is drawn on the frames of a stream: looks at each frame's metadata, keeps the pictures it calls for, and puts
// them onto the frame. A picture is drawn anew only when what it says, or how large, has changed.
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
  // The frames from now on.
  void set_info(const GstVideoInfo& info);

  // Makes the scene for `buffer`. False when there is nothing to draw.
  bool update(GstBuffer* buffer, const std::shared_ptr<const Settings>& settings);

  // Puts the scene onto a frame mapped for reading and writing, of which what is seen begins at (x, y). False when its
  // format cannot be drawn into.
  bool blend(const GstVideoFrame& frame, int x = 0, int y = 0);
  // Puts it beside the pixels of a writable buffer, above whatever upstream has put there.
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

  gst::BcpResultPtr result_;  // behind panel_, with dimmed_; null when it came from elsewhere
  bool dimmed_ = false;
  PanelText text_;
  std::unique_ptr<Picture> panel_;

  std::vector<Picture*> pictures_;  // of the present frame, lowest first
  CompositionPtr composition_;      // of the last frame, and what it is made of
  std::vector<GstVideoOverlayRectangle*> composed_;
};

}  // namespace bcp::overlay

// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes single frames out of a running pipeline, for pictures that people look at. Nothing is copied, scaled or encoded
// on the streaming thread: while no frame is wanted, a frame costs one atomic read; else a reference.
//
// Thread safety: any thread; one thread makes and destroys it.

#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>

#include "support/owners.hpp"

namespace bcp::cli::run {

class FrameTap {
 public:
  // Called on the streaming thread with a frame, its caps and its segment: hand it to another thread and return.
  using Take = std::function<void(gst::SamplePtr frame)>;

  // Frames that leave `element` by its pad "src".
  explicit FrameTap(GstElement* element);
  // No `Take` is called after this.
  ~FrameTap();
  FrameTap(const FrameTap&) = delete;
  FrameTap& operator=(const FrameTap&) = delete;

  // Gives the next frame to `take`, once. At most 16 requests wait; false: one too many. Not from inside a `Take`.
  bool next(Take take);

 private:
  struct Waiting;
  const gst::PadPtr pad_;
  const std::shared_ptr<Waiting> waiting_;
  gulong probe_ = 0;
};

}  // namespace bcp::cli::run

// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a GStreamer buffer of any raw format as the core's Picture.
//
// Read without conversion: GRAY8, the 3- and 4-byte RGB orders, and 8-bit YUV with full or halved chroma, planar or
// packed (I420, YV12, NV12, NV21, Y42B, NV16, NV61, YUY2, YVYU, UYVY, VYUY, Y444, NV24, AYUV, v308...).
// GstVideoConverter is less accurate for these: its 8-bit arithmetic is off by up to several levels. It converts every
// other raw format, at the size of the frame, into a frame that is allocated once.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>

#include "base/result.hpp"
#include "image/picture.hpp"
#include "support/mapped_frame.hpp"
#include "support/owners.hpp"

namespace bcp::tagger {

class PictureReader {
 public:
  // For frames of these caps; `orientation` turns them upright.
  static Result<PictureReader> make(const GstVideoInfo& info, const image::Orientation& orientation);

  // A mapped frame: its format, its pixels, and where in the buffer's frame the visible part starts. Valid until the
  // next read() or the end of this object.
  struct Reading {
    image::PictureFormat format;
    image::Picture picture;
    int left, top;
    gst::MappedFrame mapped;
  };
  // Maps the buffer for reading. With a GstVideoCropMeta, returns the visible part only.
  Result<Reading> read(GstBuffer* buffer);

 private:
  // For formats that need conversion. Owns C objects, destroyed in reverse order.
  struct Conversion {
    explicit Conversion(const GstVideoInfo& from);
    ~Conversion();
    Conversion(const Conversion&) = delete;
    Conversion& operator=(const Conversion&) = delete;
    bool ok() const { return converter != nullptr && mapped; }

    gst::BufferPtr buffer;
    GstVideoFrame frame{};
    bool mapped = false;
    GstVideoConverter* converter = nullptr;
  };

  PictureReader(const GstVideoInfo& info, const image::Orientation& orientation)
      : info_(info), orientation_(orientation) {}

  // `from` has the size of the caps, or a larger one from a GstVideoMeta.
  Status prepare_conversion(const GstVideoInfo& from);

  GstVideoInfo info_;
  image::Orientation orientation_;
  std::unique_ptr<Conversion> conversion_;  // null: frames are read without conversion
};

}  // namespace bcp::tagger

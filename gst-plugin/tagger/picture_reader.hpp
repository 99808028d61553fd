// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A GStreamer buffer as the core's Picture, whatever its format.
//
// Read where they lie: GRAY8, the 3- and 4-byte RGB orders, and 8-bit YUV whose chroma is whole or halved, planar or
// packed (I420, YV12, NV12, NV21, Y42B, NV16, NV61, YUY2, YVYU, UYVY, VYUY, Y444, NV24, AYUV, v308...).
// GstVideoConverter would do worse there: its 8-bit arithmetic misses by up to several levels. Every other raw format
// goes through it, at the frame's own size, into a frame that is allocated once.
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
  // For frames of these caps, to be turned upright like this.
  static Result<PictureReader> make(const GstVideoInfo& info, const image::Orientation& orientation);

  // A mapped frame: what its pixels mean, where they are, and where in the buffer's frame the visible part starts.
  // Valid while this object lives; not past the next read().
  struct Reading {
    image::PictureFormat format;
    image::Picture picture;
    int left, top;
    gst::MappedFrame mapped;
  };
  // Maps the buffer for reading. The visible part, where a GstVideoCropMeta says so.
  Result<Reading> read(GstBuffer* buffer);

 private:
  // Frames of other formats, converted: owners of C things, torn down in reverse.
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

  // Frames are mostly of the caps' size; a GstVideoMeta may say that they are larger.
  Status prepare_conversion(const GstVideoInfo& from);

  GstVideoInfo info_;
  image::Orientation orientation_;
  std::unique_ptr<Conversion> conversion_;  // none: read where they lie
};

}  // namespace bcp::tagger

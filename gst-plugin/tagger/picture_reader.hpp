// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A GStreamer buffer as the core's Picture, whatever its format.
//
// NV12, I420, YV12, GRAY8 and the 3- and 4-byte RGB orders are read where they lie. Every other raw format goes through
// GstVideoConverter, at its own size, into a frame that is allocated once.
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

namespace bcp::gst {

class PictureReader {
 public:
  // For frames of these caps, to be turned upright like this.
  static Result<PictureReader> make(const GstVideoInfo& info, const image::Orientation& orientation);

  // A mapped frame: what its pixels mean, where they are. Valid while this object lives; not past the next read().
  struct Reading {
    image::PictureFormat format;
    image::Picture picture;
    MappedFrame mapped;
  };
  // Maps the buffer for reading. The visible part, where a GstVideoCropMeta says so.
  Result<Reading> read(GstBuffer* buffer);

 private:
  // Frames of other formats, converted: owners of C things, torn down in reverse.
  struct Conversion {
    Conversion(const GstVideoInfo& from, const GstVideoInfo& to);
    ~Conversion();
    Conversion(const Conversion&) = delete;
    Conversion& operator=(const Conversion&) = delete;
    bool ok() const { return converter != nullptr && mapped; }

    BufferPtr buffer;
    GstVideoFrame frame{};
    bool mapped = false;
    GstVideoConverter* converter = nullptr;
  };

  PictureReader(const GstVideoInfo& info, const image::Orientation& orientation)
      : info_(info), orientation_(orientation) {}

  GstVideoInfo info_;
  image::Orientation orientation_;
  std::unique_ptr<Conversion> conversion_;  // none: read where they lie
};

}  // namespace bcp::gst

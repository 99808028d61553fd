// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What bcptagger accepts: every raw format, in memory that can be mapped for reading, also with overlays beside the
// picture, which pass as they came.
//
// Memory of GL and CUDA is downloaded when it is mapped, by its own allocator, on the thread that scores: neither
// library is needed here. DMABuf with a DRM format (GStreamer 1.24) is left out: most are tiled and cannot be mapped.

#pragma once

#include <gst/video/video.h>

#define BCP_CAPS_IN(memory)                                        \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(memory, GST_VIDEO_FORMATS_ALL) \
  "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(memory ", meta:GstVideoOverlayComposition", GST_VIDEO_FORMATS_ALL)
#define BCP_RAW_CAPS                 \
  BCP_CAPS_IN("memory:SystemMemory") \
  "; " BCP_CAPS_IN("memory:GLMemory") "; " BCP_CAPS_IN("memory:CUDAMemory") "; " BCP_CAPS_IN("memory:DMABuf")

namespace bcp::tagger {

// Takes DMABuf out of the answer to a caps query on the sink pad if upstream can send system memory. Decoders choose
// DMABuf wherever it is offered, and the frames of many are tiled and cannot be mapped: labels would be missing in
// pipelines that need no DMABuf. Any thread.
void prefer_system_memory(GstPad* sink, GstQuery* query);

}  // namespace bcp::tagger

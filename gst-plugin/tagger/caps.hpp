// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The caps that bcptagger accepts: every raw format in memory that can be mapped for reading, also with a
// GstVideoOverlayComposition, which passes through unchanged.
//
// GL and CUDA memory is downloaded by its own allocator when it is mapped, on the thread that scores; the plugin needs
// neither library. DMABuf with a DRM format (GStreamer 1.24) is not accepted: most are tiled and cannot be mapped.

#pragma once

#include <gst/video/video.h>

#define BCP_CAPS_IN(memory)                                        \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(memory, GST_VIDEO_FORMATS_ALL) \
  "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(memory ", meta:GstVideoOverlayComposition", GST_VIDEO_FORMATS_ALL)
#define BCP_RAW_CAPS                 \
  BCP_CAPS_IN("memory:SystemMemory") \
  "; " BCP_CAPS_IN("memory:GLMemory") "; " BCP_CAPS_IN("memory:CUDAMemory") "; " BCP_CAPS_IN("memory:DMABuf")

namespace bcp::tagger {

// Removes DMABuf from the answer to a caps query on the sink pad if upstream can send system memory. Decoders choose
// DMABuf when it is offered, and the frames of many are tiled and cannot be mapped, so labels would be missing in
// pipelines that do not need DMABuf. Any thread.
void prefer_system_memory(GstPad* sink, GstQuery* query);

}  // namespace bcp::tagger

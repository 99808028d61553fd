// SPDX-License-Identifier: LGPL-2.1-or-later
// The members of the element.

#pragma once

#include <atomic>
#include <memory>

#include "support/guarded.hpp"
#include "tagger/gstbcptagger.h"
#include "tagger/metrics_file.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"
#include "tagger/stream.hpp"

namespace bcp::tagger {

// GObject allocates zeroed memory and never runs C++ constructors, so all C++ members are here, behind one pointer.
struct Impl {
  SharedSettings settings{std::make_shared<const Settings>()};  // any thread
  gst::Guarded<Statistics> statistics;                          // any thread
  std::atomic<GstClockTime> earliest{
      GST_CLOCK_TIME_NONE};              // running time before which a frame is too late to be scored
  std::unique_ptr<Stream> stream;        // start(), stop(), and the streaming thread between them
  std::unique_ptr<MetricsFile> metrics;  // same threads as `stream`; null: no file
  // Parts of the stream, for any thread; null while stopped.
  gst::Guarded<std::shared_ptr<Prior>> prior;
  gst::Guarded<std::shared_ptr<AsyncScoring>> async;
  gst::Guarded<Scorer*> scorer{nullptr};
};

}  // namespace bcp::tagger

struct _GstBcpTagger {
  GstBaseTransform parent;
  bcp::tagger::Impl* impl;
};

namespace bcp::tagger {

inline Impl& impl_of(gpointer object) {
  return *GST_BCP_TAGGER(object)->impl;
}

}  // namespace bcp::tagger

// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin: registers what the other files define.

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include "base/log.hpp"
#include "gate/gstbcpgate.h"
#ifdef BCP_HAVE_OVERLAY
#include "overlay/gstbcpoverlay.h"
#endif
#include "publish/gstbcppublish.h"
#include "subtitle/gstbcpsubtitle.h"
#include "tagger/gstbcptagger.h"

GST_DEBUG_CATEGORY_STATIC(bcp_core_debug);
#define GST_CAT_DEFAULT bcp_core_debug

// The log of the core and of ONNX Runtime: GST_DEBUG=bcpcore:6.
static void log_core(bcp::LogLevel level, std::string_view message) {
  GstDebugLevel shown = GST_LEVEL_DEBUG;
  if (level == bcp::LogLevel::kError || level == bcp::LogLevel::kWarning) shown = GST_LEVEL_WARNING;
  if (level == bcp::LogLevel::kInfo) shown = GST_LEVEL_INFO;
  GST_CAT_LEVEL_LOG(GST_CAT_DEFAULT, shown, nullptr, "%.*s", static_cast<int>(message.size()), message.data());
}

static gboolean plugin_init(GstPlugin* plugin) {
  // Registers the meta, so that elements can deserialise it.
  gst_bcp_meta_get_info();

  GST_DEBUG_CATEGORY_INIT(bcp_core_debug, "bcpcore", 0, "core of the BCP elements, and ONNX Runtime");
  bcp::set_log_sink(log_core);

  gboolean registered = FALSE;
#ifdef BCP_HAVE_OVERLAY
  registered |= GST_ELEMENT_REGISTER(bcpoverlay, plugin);
#endif
  registered |= GST_ELEMENT_REGISTER(bcpgate, plugin);
  registered |= GST_ELEMENT_REGISTER(bcppublish, plugin);
  registered |= GST_ELEMENT_REGISTER(bcpsubtitle, plugin);
  registered |= GST_ELEMENT_REGISTER(bcptagger, plugin);
  return registered;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, bcp, "Multi-label tagging of live video with CLIP and BCP",
                  plugin_init, VERSION, "LGPL", PACKAGE, GST_PACKAGE_ORIGIN)

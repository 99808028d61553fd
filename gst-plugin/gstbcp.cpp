// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin: registers what the other files define.

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include "gstbcppublish.h"

static gboolean plugin_init(GstPlugin* plugin) {
  // Known from now on to whoever receives serialised metas.
  gst_bcp_meta_get_info();

  gboolean registered = FALSE;
  registered |= GST_ELEMENT_REGISTER(bcppublish, plugin);
  return registered;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, bcp, "Multi-label tagging of live video with CLIP and BCP",
                  plugin_init, VERSION, "LGPL", PACKAGE, GST_PACKAGE_ORIGIN)

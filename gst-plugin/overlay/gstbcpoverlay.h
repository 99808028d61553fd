// SPDX-License-Identifier: LGPL-2.1-or-later

#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_BCP_OVERLAY (gst_bcp_overlay_get_type())
G_DECLARE_FINAL_TYPE(GstBcpOverlay, gst_bcp_overlay, GST, BCP_OVERLAY, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE(bcpoverlay);

G_END_DECLS

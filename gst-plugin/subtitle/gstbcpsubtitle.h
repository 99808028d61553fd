// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_BCP_SUBTITLE (gst_bcp_subtitle_get_type())
G_DECLARE_FINAL_TYPE(GstBcpSubtitle, gst_bcp_subtitle, GST, BCP_SUBTITLE, GstElement)
GST_ELEMENT_REGISTER_DECLARE(bcpsubtitle)

G_END_DECLS

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_BCP_PUBLISH (gst_bcp_publish_get_type())
G_DECLARE_FINAL_TYPE(GstBcpPublish, gst_bcp_publish, GST, BCP_PUBLISH, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE(bcppublish)

G_END_DECLS

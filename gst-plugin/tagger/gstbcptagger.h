// SPDX-License-Identifier: LGPL-2.1-or-later

#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_BCP_TAGGER (gst_bcp_tagger_get_type())
G_DECLARE_FINAL_TYPE(GstBcpTagger, gst_bcp_tagger, GST, BCP_TAGGER, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE(bcptagger);

G_END_DECLS
